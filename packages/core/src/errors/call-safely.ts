/** Calls a host's callback. Errors and rejections are reported, not propagated. */
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
