const credential =
  '(?:api[ _-]?key|access[ _-]?key|(?:access|auth|authentication|api|bearer|refresh|session|oauth)[ _-]?token|credentials?|password)'
const invalid =
  '(?:missing|invalid|expired|incorrect|wrong|revoked|bad|required|not valid|not set|not provided)'

/** Errors are at the beginning or end of an output; the middle may be a whole web page. */
const maxLength = 16_384

/** How programs and services report that a key is missing or invalid. */
const phrases = new RegExp(
  [
    String.raw`\b401\b[^\n]{0,40}\bunauthori[sz]ed\b`,
    String.raw`\bunauthori[sz]ed\b[^\n]{0,40}\b401\b`,
    String.raw`\b(?:HTTP|status code|error|code)\b[^\n]{0,12}\b40[13]\b`,
    String.raw`\b40[13]\b[^\n]{0,20}\b(?:forbidden|client error)\b`,
    String.raw`"(?:status|status_?code|http_?status)"\s*:\s*"?40[13]\b`,
    String.raw`\b${invalid}\b[^\n]{0,12}\b${credential}\b`,
    String.raw`\b${credential}\b[^\n]{0,24}\b${invalid}\b`,
    String.raw`\btoken\b(?: is| has| was)?(?: been)? (?:expired|revoked|invalid|missing|required|not set)\b`,
    String.raw`\b(?:expired|revoked|missing) token\b`,
    String.raw`\bauthentication[ _](?:failed|required|error)\b`,
    String.raw`\bnot authenticated\b`,
    String.raw`\bsecurity token\b[^\n]{0,40}\b(?:expired|invalid)\b`,
    // Codes of GitHub, GitLab, Slack, AWS and others.
    String.raw`\b(?:invalid_token|token_expired|token_revoked|invalid_auth|not_authed)\b`,
    String.raw`\b(?:ExpiredToken|InvalidAccessKeyId|InvalidClientTokenId)(?:Exception)?\b`,
    String.raw`\bjwt (?:is )?(?:expired|invalid|malformed)\b`,
  ].join('|'),
  'i',
)

export function mentionsCredentialError(text: string): boolean {
  if (text.length <= maxLength) return phrases.test(text)
  const half = maxLength / 2
  return phrases.test(text.slice(0, half)) || phrases.test(text.slice(-half))
}

/** Whether an error, or its data, reports a rejected key: by its status, or else by its message. */
export function isCredentialRejection(error: unknown, text: string): boolean {
  const status = statusOf(error)
  if (status === 401 || status === 403) return true
  // Some services respond with 400 to an invalid key.
  return (status === null || status === 400) && mentionsCredentialError(text)
}

/** The HTTP status of an error, from the fields that common clients use. */
export function statusOf(error: unknown): number | null {
  try {
    const { status, statusCode, code, response, error: inner, $metadata } = Object(error)
    const found = [
      status,
      statusCode,
      code,
      Object(response).status,
      Object(inner).status,
      Object(inner).code,
      Object($metadata).httpStatusCode,
    ].map(Number)
    return found.find((number) => Number.isInteger(number) && number >= 400 && number < 600) ?? null
  } catch {
    return null
  }
}
