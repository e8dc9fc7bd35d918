/** Waits until it is told not to any longer; what it waited for goes on by itself. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Nobody may be there any more when it fails.
  promise.catch(() => {})
  signal.throwIfAborted()
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort!)
  }
}
