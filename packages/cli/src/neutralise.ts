/** More combining marks on one character are not text of any language, but hide the lines above and below. */
const maxMarks = 6

const plain = /^[\n\t -~]*$/
/** What the steps below may change. Other text, in any script, is returned as it is. */
const suspicious = new RegExp(
  `(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}]|\\p{M}{${maxMarks + 1}}`,
  'u',
)

// The parts of a control sequence; ESC and its second character may be one C1 character instead.
const csi = '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*'
const stringStart = '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])'
/** Ends at any control character, so that a string without an end hides nothing, and no character is read more than twice. */
const stringContent = '[^\\x00-\\x1f\\x7f-\\x9f]*'

/** A string with its end, or only the start of one without; a CSI sequence; any other escape sequence. */
const sequences = new RegExp(
  `${stringStart}${stringContent}(?:\\x07|\\x1b\\\\|\\x9c)|${stringStart}|${csi}[@-~]?|\\x1b[ -/]*[0-~]?`,
  'g',
)
const unfinished = new RegExp(`(?:${stringStart}${stringContent}\\x1b?|${csi}|\\x1b[ -/]*)$`)
/** Anything longer is not treated as a control sequence that may still end. */
const maxSequenceLength = 4_096

const lineBreaks = /\r\n?|[\v\f\u2028\u2029]/g
/** The flags of England, Scotland and Wales consist of tags. */
const flag =
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}'
/** Joiners are part of emoji and of several scripts, and variation selectors of emoji; elsewhere they are only invisible. */
const invisible = new RegExp(
  `(${flag})|(?!\\n|\\t|\\u200c|\\u200d|\\ufe0e|\\ufe0f)[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]|(?<!\\p{Emoji})[\\ufe0e\\ufe0f]`,
  'gu',
)
const strayJoiners =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]|(?<=[A-Za-z])[\u200c\u200d]/gu
const noncharacters = /\p{Noncharacter_Code_Point}/gu
/** No emoji consists of more than four; many terminals show each of them. */
const joinable = '\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]*'
const manyJoined = new RegExp(`((?:${joinable}\\u200d){3}${joinable})\\u200d`, 'gu')
const manyMarks = new RegExp(`([\\p{M}\\u200c\\u200d]{${maxMarks}})[\\p{M}\\u200c\\u200d]+`, 'gu')

/**
 * Makes text from elsewhere safe to show: removes control sequences, control characters, direction overrides and invisible
 * characters, limits combining marks, and replaces what is not Unicode text. Only line feeds and tabs are kept. Takes linear time.
 */
export function neutralise(text: string): string {
  if (plain.test(text)) return text
  // Before anything is removed: two halves of a character must not meet.
  const wellFormed = text.toWellFormed()
  if (!suspicious.test(wellFormed)) return wellFormed
  return wellFormed
    .replace(sequences, '')
    .replace(lineBreaks, '\n')
    .replace(invisible, '$1')
    .replace(strayJoiners, '')
    .replace(manyJoined, '$1')
    .replace(noncharacters, '\ufffd')
    .replace(manyMarks, '$1')
}

/** The index of a control sequence whose end has not arrived yet; otherwise the end of the string. */
export function unfinishedFrom(text: string): number {
  const from = Math.max(0, text.length - maxSequenceLength)
  const at = text.slice(from).search(unfinished)
  return at < 0 ? text.length : from + at
}
