import { randomInt } from 'node:crypto'

/** Without characters that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 4

/** The first part of the ids of calls, such as `m4tq`. */
export function newRunName(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
