/** A promise that is rejected when the signal fires; `stop` takes the listener off again. */
export function rejectOnAbort(signal: AbortSignal): { readonly promise: Promise<never>; stop(): void } {
  let onAbort!: () => void
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
  })
  promise.catch(() => {})
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) }
}
