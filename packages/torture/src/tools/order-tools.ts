import { readFileSync, writeFileSync } from 'node:fs'
import type { ToolContext } from '../adapter/adapter.ts'
import { recordEvent } from './record-event.ts'

/** What the tools of a case share is in files, because a product may run each call in a thread or process of its own. */
const fileOf = (name: string): string => `${process.env.TORTURE_EVENTS}.${name}`

function load(name: string, otherwise: string): string {
  try {
    return readFileSync(fileOf(name), 'utf8')
  } catch {
    return otherwise
  }
}

const save = (name: string, value: unknown): void => writeFileSync(fileOf(name), String(value))

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Slow, so that a read that overtakes it gets the old value. */
export async function writesValue({ value }: { value: string }): Promise<string> {
  recordEvent('write-start', value)
  await wait(150)
  save('value', value)
  recordEvent('write-end', value)
  return `wrote ${value}`
}

export async function readsValue(): Promise<string> {
  const value = load('value', 'nothing')
  recordEvent('read', value)
  return `read ${value}`
}

/** Adds one, with a pause between reading and writing. */
export async function increments(): Promise<string> {
  const count = Number(load('count', '0')) + 1
  await wait(40)
  save('count', count)
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
export async function failsOnce(): Promise<string> {
  recordEvent('effect', 'fails-once')
  const attempts = Number(load('attempts', '0')) + 1
  save('attempts', attempts)
  if (attempts === 1) throw new Error('a failure that may be temporary')
  return 'succeeded'
}

export async function recurses({ depth = 0 }: { depth?: number }, { call }: ToolContext): Promise<string> {
  recordEvent('depth', depth)
  return call('recurses', { depth: depth + 1 })
}
