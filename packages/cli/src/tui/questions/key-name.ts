import type { Key } from 'ink'

/** Identifies a key, to recognize that it is pressed again. */
export function keyName(input: string, key: Key): string {
  const names = Object.entries(key).filter(([name, value]) => value === true && !lockKeys.includes(name))
  return [...names.map(([name]) => name), input].join(' ')
}

const lockKeys = ['capsLock', 'numLock']
