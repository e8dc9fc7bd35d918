import { stripControlSequences } from '@curfew/core/internal'

/** More combining marks on one character are not text of any language, but hide the lines above and below. */
const maxMarks = 6

/** What the steps below may change. Other text, in any script, is returned as it is. */
const suspicious = new RegExp(
  `(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}]|\\p{M}{${maxMarks + 1}}`,
  'u',
)

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

/** `neutralise` for text that is not plain ASCII. */
export function neutraliseUnusual(text: string): string {
  // Before anything is removed: two halves of a character must not meet.
  const wellFormed = text.toWellFormed()
  if (!suspicious.test(wellFormed)) return wellFormed
  return stripControlSequences(wellFormed)
    .replace(lineBreaks, '\n')
    .replace(invisible, '$1')
    .replace(strayJoiners, '')
    .replace(manyJoined, '$1')
    .replace(noncharacters, '\ufffd')
    .replace(manyMarks, '$1')
}
