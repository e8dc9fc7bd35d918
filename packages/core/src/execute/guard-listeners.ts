import { callSafely } from '../errors/call-safely.ts'

type Listener = Parameters<AbortSignal['addEventListener']>[1]
type Options = Parameters<AbortSignal['addEventListener']>[2]

/**
 * Reports what a listener of the signal throws. Otherwise Node.js would throw it as an uncaught exception, which ends the process. Listeners
 * of other signals that follow this one, such as those of `AbortSignal.any`, are not covered.
 */
export function guardListeners(signal: AbortSignal, report: (error: unknown) => void): void {
  // Most tools add no listener.
  let guarded: WeakMap<object, (event: Event) => void> | null = null
  const { addEventListener, removeEventListener } = signal
  const guard = (listener: Listener): Listener => {
    if (typeof listener !== 'function' && (typeof listener !== 'object' || listener === null)) return listener
    guarded ??= new WeakMap()
    const known = guarded.get(listener)
    if (known !== undefined) return known
    const safe = (event: Event): void =>
      callSafely(
        () => (typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event)),
        event,
        report,
      )
    guarded.set(listener, safe)
    return safe
  }
  signal.addEventListener = (type: string, listener: Listener, options?: Options) =>
    addEventListener.call(signal, type, guard(listener), options)
  signal.removeEventListener = (type: string, listener: Listener, options?: Options) =>
    removeEventListener.call(signal, type, (listener && guarded?.get(listener)) ?? listener, options)
}
