import type { Key } from 'ink'
import type { MenuSnapshot } from './question-form.ts'

/** The menu after an arrow key; `null` if it is another key. */
export function moveSelection(menu: MenuSnapshot, key: Key): MenuSnapshot | null {
  const step = key.upArrow ? -1 : key.downArrow ? 1 : 0
  if (step === 0) return null
  const selected = Math.max(0, Math.min(menu.entries.length - 1, menu.selected + step))
  return selected === menu.selected ? menu : { ...menu, selected }
}

/** The index of the entry that Enter, a digit or a letter chooses; `null` if the key chooses none. */
export function chooseEntry({ entries, selected }: MenuSnapshot, input: string, key: Key): number | null {
  if (key.ctrl || key.meta || key.super || key.hyper) return null
  if (key.return) return entries.length === 0 ? null : selected
  if (input.length !== 1) return null
  // With more than nine entries, a digit could be the first of two.
  const digit = /[1-9]/.test(input) && entries.length <= 9 ? Number(input) - 1 : -1
  if (digit >= 0) return digit < entries.length ? digit : null
  const index = entries.findIndex(({ letter }) => letter !== '' && letter === input.toLowerCase())
  return index < 0 ? null : index
}
