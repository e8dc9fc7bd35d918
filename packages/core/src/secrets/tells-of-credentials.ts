const credential =
  '(?:api[ _-]?key|access[ _-]?key|(?:access|auth|authentication|api|bearer|refresh|session|oauth)[ _-]?token|credentials?|password)'
const wrong =
  '(?:missing|invalid|expired|incorrect|wrong|revoked|bad|required|not valid|not set|not provided)'

/** The ways in which programs and services say that a key is missing or wrong. */
const phrases = new RegExp(
  [
    String.raw`\b401\b[^\n]{0,40}\bunauthori[sz]ed\b`,
    String.raw`\bunauthori[sz]ed\b[^\n]{0,40}\b401\b`,
    String.raw`\b(?:HTTP|status code|error|code)\b[^\n]{0,12}\b40[13]\b`,
    String.raw`\b40[13]\b[^\n]{0,20}\b(?:forbidden|client error)\b`,
    String.raw`\b${wrong}\b[^\n]{0,12}\b${credential}\b`,
    String.raw`\b${credential}\b[^\n]{0,24}\b${wrong}\b`,
    String.raw`\btoken\b(?: is| has| was)?(?: been)? (?:expired|revoked|invalid|missing|required|not set)\b`,
    String.raw`\b(?:expired|revoked|missing) token\b`,
    String.raw`\bauthentication (?:failed|required|error)\b`,
    String.raw`\bnot authenticated\b`,
  ].join('|'),
  'i',
)

export function tellsOfCredentials(text: string): boolean {
  return phrases.test(text)
}
