import type { ToolContext } from '../adapter/adapter.ts'
import { recordEvent } from './record-event.ts'

const forever = (): Promise<never> => new Promise(() => {})

function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export function quick({ text = 'ok' }: { text?: string }): string {
  recordEvent('quick', text.slice(0, 100))
  return `quick: ${text}`
}

/** Waits, and stops when it is aborted. */
export function sleeps({ ms }: { ms: number }, { signal }: ToolContext): Promise<string> {
  return new Promise((resolve, reject) => {
    recordEvent('started', ms)
    const timer = setTimeout(() => {
      recordEvent('ended', ms)
      resolve(`slept ${ms} ms`)
    }, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      recordEvent('aborted', ms)
      reject(signal.reason)
    })
  })
}

export const never = (): Promise<never> => {
  recordEvent('started')
  return forever()
}

/** Listens to the signal, and goes on nevertheless. */
export async function ignoresSignal(_: object, { signal }: ToolContext): Promise<never> {
  signal.addEventListener('abort', () => recordEvent('aborted'))
  for (;;) await wait(50)
}

export function blocks(): never {
  recordEvent('started')
  for (;;);
}

export function blocksFor({ ms }: { ms: number }): string {
  recordEvent('started')
  busy(ms)
  return `blocked for ${ms} ms`
}

/** Blocks for most of the time, but not all of it. */
export async function blocksInSlices(): Promise<never> {
  for (;;) {
    busy(150)
    await new Promise(setImmediate)
  }
}

/** No timer fires while promises are settled. */
export async function starvesTimers(): Promise<never> {
  for (;;) await null
}

export function waitsSynchronously(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

export async function floodsEventLoop(): Promise<never> {
  for (;;) await new Promise(setImmediate)
}

/** Returns after the time, whatever it was told. */
export async function returnsLate({ ms }: { ms: number }): Promise<string> {
  await wait(ms)
  recordEvent('ended')
  return 'the late result'
}

export async function throwsLate({ ms }: { ms: number }): Promise<never> {
  await wait(ms)
  recordEvent('ended')
  throw new Error('the late error')
}

export async function trickles(_: object, { output }: ToolContext): Promise<never> {
  for (let index = 0; ; index++) {
    output(`line ${index}\n`)
    await wait(50)
  }
}

export async function progresses(_: object, { progress }: ToolContext): Promise<never> {
  for (let index = 0; ; index++) {
    progress(index)
    await wait(50)
  }
}

/** Ends at once when it is aborted, but its cleanup does not. */
export async function hangsInCleanup(_: object, { signal }: ToolContext): Promise<never> {
  try {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return await forever()
  } finally {
    recordEvent('cleanup')
    await forever()
  }
}

/** Throws in its listener. */
export function throwsInListener(_: object, { signal }: ToolContext): Promise<never> {
  signal.addEventListener('abort', () => {
    throw new Error('thrown by the listener')
  })
  return forever()
}

export async function hangsAfterOutput(_: object, { output }: ToolContext): Promise<never> {
  output('the first half\n')
  return forever()
}

/** Sets the clock of the process to another day. */
export async function movesClock({ hours }: { hours: number }): Promise<never> {
  const now = Date.now.bind(Date)
  Date.now = () => now() + hours * 3_600_000
  recordEvent('started')
  return forever()
}

/** Calls a tool that never returns. */
export async function callsNever(_: object, { call }: ToolContext): Promise<string> {
  recordEvent('started')
  return call('never', {})
}

/** A generator that never ends. */
export async function* generatesForever(): AsyncGenerator<string> {
  for (;;) {
    await wait(50)
    yield 'more'
  }
}

/** Is thenable, and never calls back. */
export const thenableThatHangs = (): object => ({
  // biome-ignore lint/suspicious/noThenProperty: the fault is the purpose
  then() {},
})
