/** What an error says. It may be anything, and may itself throw when it is looked at. */
export function messageOf(error: unknown): string {
  try {
    if (error === undefined || error === null) return `no reason was given (${String(error)})`
    if (error instanceof Error) return String(error.message === '' ? error.name : error.message)
    return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
  } catch {
    return 'something that cannot be shown'
  }
}
