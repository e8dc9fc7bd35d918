import type { ListMove } from './list-state.ts'

/** The part of Ink's key that the screen uses. */
export interface ScreenKey {
  readonly upArrow?: boolean
  readonly downArrow?: boolean
  readonly leftArrow?: boolean
  readonly rightArrow?: boolean
  readonly pageUp?: boolean
  readonly pageDown?: boolean
  readonly home?: boolean
  readonly end?: boolean
  readonly return?: boolean
  readonly escape?: boolean
  readonly backspace?: boolean
  readonly delete?: boolean
  readonly ctrl?: boolean
  readonly meta?: boolean
}

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
