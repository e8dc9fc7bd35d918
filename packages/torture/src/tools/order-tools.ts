import type { ToolContext } from '../adapter/adapter.ts'
import { recordEvent } from './record-event.ts'

/** A file of the machine that tools read and write: here, a value in this process. */
let stored = 'nothing'

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Slow, so that a read that overtakes it gets the old value. */
export async function writesValue({ value }: { value: string }): Promise<string> {
  recordEvent('write-start', value)
  await wait(150)
  stored = value
  recordEvent('write-end', value)
  return `wrote ${value}`
}

export async function readsValue(): Promise<string> {
  recordEvent('read', stored)
  return `read ${stored}`
}

/** Adds one, with a pause between reading and writing. */
let count = 0
export async function increments(): Promise<string> {
  const before = count
  await wait(40)
  count = before + 1
  return `count ${count}`
}

export async function fails(): Promise<never> {
  recordEvent('started')
  throw new Error('this tool always fails')
}

/** Counts how often it ran. */
export async function effect({ name = 'effect' }: { name?: string }): Promise<string> {
  recordEvent('effect', name)
  return `did ${name}`
}

/** An effect that takes time. */
export async function slowEffect({ name, ms }: { name: string; ms: number }): Promise<string> {
  recordEvent('effect', name)
  await wait(ms)
  recordEvent('effect-end', name)
  return `did ${name}`
}

/** Fails first, then succeeds; that it ran twice shows in the events. */
let attempts = 0
export async function failsOnce(): Promise<string> {
  recordEvent('effect', 'fails-once')
  if (attempts++ === 0) throw new Error('a failure that may be temporary')
  return 'succeeded'
}

export async function recurses({ depth = 0 }: { depth?: number }, { call }: ToolContext): Promise<string> {
  recordEvent('depth', depth)
  return call('recurses', { depth: depth + 1 })
}
