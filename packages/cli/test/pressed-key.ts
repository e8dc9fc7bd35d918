import type { Key } from 'ink'

const named: Readonly<Record<string, keyof Key>> = {
  up: 'upArrow',
  down: 'downArrow',
  left: 'leftArrow',
  right: 'rightArrow',
  home: 'home',
  end: 'end',
  enter: 'return',
  escape: 'escape',
  tab: 'tab',
  backspace: 'backspace',
  delete: 'delete',
  pageup: 'pageUp',
}

/** The arguments that Ink passes to `useInput` for a key such as `enter`, `ctrl+a` or `alt+left`. */
export function pressedKey(name: string): [input: string, key: Key] {
  const parts = name.split('+')
  const last = parts.at(-1)!
  const key: Key = {
    ...noKey,
    ctrl: parts.includes('ctrl'),
    meta: parts.includes('alt'),
    shift: parts.includes('shift'),
  }
  const field = named[last]
  if (field === undefined) return [last, key]
  return [last === 'enter' ? '\r' : '', { ...key, [field]: true }]
}

export const noKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
}
