import type { Key } from 'ink'
import type { ListMove } from './list-state.ts'

/** Ink's key, or a part of it. */
export type ScreenKey = Readonly<Partial<Key>>

/** The move that a key stands for, if any. */
export function moveOf(input: string, key: ScreenKey): ListMove | null {
  if (key.upArrow || input === 'k') return 'up'
  if (key.downArrow || input === 'j') return 'down'
  if (key.pageUp) return 'pageUp'
  if (key.pageDown || input === ' ') return 'pageDown'
  if (key.home || input === 'g') return 'home'
  if (key.end || input === 'G') return 'end'
  return null
}
