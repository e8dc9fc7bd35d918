import type { Key } from 'ink'
import { isPrintable } from './edited-line.ts'
import type { KeyEffect } from './key-guard.ts'

/** Identifies a key, to recognize that it is pressed again. */
export function keyName(input: string, key: Key): string {
  const names = Object.entries(key).filter(([name, value]) => value === true && !lockKeys.includes(name))
  return [...names.map(([name]) => name), input].join(' ')
}

const lockKeys = ['capsLock', 'numLock']

/** What a key does in the draft. */
export function keyEffect(input: string, key: Key): KeyEffect {
  if (key.return) return 'sends'
  return isPrintable(input, key) || key.backspace || key.delete ? 'types' : 'none'
}
