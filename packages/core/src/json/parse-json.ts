import { endOfString } from './end-of-string.ts'

/** Deeper than real-world JSON, and far below the stack limit. */
export const maxJsonDepth: number = 200

/**
 * Parses JSON from outside the process. Use it instead of `JSON.parse` wherever a string crosses a boundary, so
 * that other code can walk the value recursively. The caller bounds the length.
 *
 * @throws SyntaxError if it is not JSON, or is nested more than `maxJsonDepth` levels deep.
 */
export function parseJson(json: string): unknown {
  if (isNestedTooDeeply(json)) throw new SyntaxError(`nested more than ${maxJsonDepth} levels deep`)
  return JSON.parse(json)
}

/** The same check for a value that did not arrive as a string: from a thread's port or a library. */
export function isTooDeep(value: unknown): boolean {
  return isObject(value) && levelsOf(value, 1, new Map()) > maxJsonDepth
}

/** Visits every object once: a value with shared references can be far larger than its size in memory. */
function levelsOf(value: object, depth: number, known: Map<object, number>): number {
  if (depth > maxJsonDepth) return Number.POSITIVE_INFINITY
  const before = known.get(value)
  if (before !== undefined) return before
  // Until it is known, so that a cycle counts as infinite.
  known.set(value, Number.POSITIVE_INFINITY)
  let levels = 0
  for (const child of Object.values(value)) {
    if (isObject(child)) levels = Math.max(levels, levelsOf(child, depth + 1, known))
    if (levels === Number.POSITIVE_INFINITY) return levels
  }
  known.set(value, levels + 1)
  return levels + 1
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}

const quote = 0x22

/** Ignores brackets inside strings. Unterminated strings are left to `JSON.parse`. */
function isNestedTooDeeply(json: string): boolean {
  if (json.length <= maxJsonDepth) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote:
        at = endOfString(json, at) - 1
        break
      case 0x5b:
      case 0x7b:
        if (++depth > maxJsonDepth) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
    }
  }
  return false
}
