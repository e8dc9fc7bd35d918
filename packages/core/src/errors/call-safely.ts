/** Calls back into the host's code. What it throws, or rejects with later, is reported and breaks nothing. */
export function callSafely<T>(
  callback: (value: T) => unknown,
  value: T,
  report: (error: unknown) => void,
): void {
  try {
    const returned = callback(value)
    if (returned instanceof Promise) returned.catch(report)
  } catch (error) {
    report(error)
  }
}
