/** Waits for the promise, or rejects with the signal's reason; the work behind the promise continues. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // It may reject after the abort.
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
