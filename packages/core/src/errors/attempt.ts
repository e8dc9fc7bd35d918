/** The result of `work`, or the fallback if it throws. */
export function attempt<Result, Fallback>(work: () => Result, fallback: Fallback): Result | Fallback {
  try {
    return work()
  } catch {
    return fallback
  }
}
