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

/**
 * Removes control sequences of terminals, also those without an end. Takes linear time, unlike Node's `stripVTControlCharacters`, which
 * takes seconds for 64 KB of a hostile program's output.
 */
export function stripControlSequences(text: string): string {
  return text.replace(sequences, '')
}

/** The index of a control sequence whose end has not arrived yet; otherwise the end of the string. */
export function unfinishedFrom(text: string): number {
  const from = Math.max(0, text.length - maxSequenceLength)
  const at = text.slice(from).search(unfinished)
  return at < 0 ? text.length : from + at
}
