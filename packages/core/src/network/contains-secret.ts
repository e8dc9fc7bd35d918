/** Whether a URL contains a known secret, also percent-encoded once or twice. */
export function containsSecret(url: string, redact: (text: string) => string): boolean {
  const once = decoded(url)
  return [url, once, decoded(once)].some((text) => redact(text) !== text)
}

/** Keeps a `%` that is not part of an escape. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString(),
  )
}
