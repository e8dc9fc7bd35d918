/** Prints why a test is skipped, if the condition holds. */
export function skip(condition: boolean, reason: string): boolean {
  if (condition) process.stderr.write(`skipped: ${reason}\n`)
  return condition
}
