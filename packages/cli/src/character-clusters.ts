// A superset of string-width's wide characters: a line may be wrapped too early, but never too late.
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{19fff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f1ae}\u{1f200}-\u{1f265}\u{1f6d9}\u{1f7da}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u
const noWidth = /[\p{Mn}\p{Me}\p{Cf}]/u
/** Invisible, and nothing is joined across it. */
const separator = /(?![\u200d\u{e0020}-\u{e007f}])\p{Cf}/u
const pictographic = /\p{Extended_Pictographic}/u
const regionalIndicator = /[\u{1f1e6}-\u{1f1ff}]/u
/** The base, which is also the previous character. */
const regionalIndicatorTwice = /^([\u{1f1e6}-\u{1f1ff}])\1$/u
const leadingConsonant = /[\u1100-\u115f]/
const vowel = /[\u1160-\u11a7]/
const skinTone = /[\u{1f3fb}-\u{1f3ff}]/u
const keycapBase = /[0-9#*]/
const zeroWidthJoiner = '\u200d'
/** Turns the character before it into a wide emoji. */
const emojiSelector = '\ufe0f'
const keycap = '\u20e3'

/** Calls `visit` with each character together with what belongs to it: combining marks, joined emoji, the second half of a flag. */
export function forEachCluster(text: string, visit: (cluster: string, width: number) => void): void {
  let start = 0
  let end = 0
  let width = 0
  /** The last character that is not a combining mark; empty if nothing can be joined to it. */
  let base = ''
  let previous = ''
  for (const character of text) {
    const isJoined = previous === zeroWidthJoiner
    if (isJoined && !pictographic.test(character)) base = ''
    if (character === emojiSelector) {
      if (pictographic.test(base)) width = 2
    } else if (character === keycap) {
      if (keycapBase.test(base)) width = 2
    } else if (skinTone.test(character) && !skinTone.test(previous) && pictographic.test(base)) width = 2
    else if (isJoined && pictographic.test(base)) {
      width = 2
      base = character
    } else if (continuesFlag(base + previous, character) || continuesSyllable(previous, character, width)) {
      // The next regional indicator starts another flag.
      base = ''
    } else if (!noWidth.test(character)) {
      if (end > start) visit(text.slice(start, end), width)
      start = end
      base = character
      width = wide.test(character) ? 2 : 1
    } else if (separator.test(character)) base = ''
    previous = character
    end += character.length
  }
  if (end > start) visit(text.slice(start, end), width)
}

function continuesFlag(before: string, character: string): boolean {
  return regionalIndicator.test(character) && regionalIndicatorTwice.test(before)
}

/** Korean that is decomposed into jamo, as in file names of macOS: the vowel and the final consonant add no columns. */
function continuesSyllable(previous: string, character: string, width: number): boolean {
  if (character < '\u1160' || character > '\u11ff' || width < 2) return false
  const isVowel = character < '\u11a8'
  return (isVowel ? leadingConsonant : vowel).test(previous)
}
