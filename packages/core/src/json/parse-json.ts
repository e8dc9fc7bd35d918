import { endOfString } from './end-of-string.ts'

/** Deeper than anything a person or a model writes, and far from what the stack can hold. */
export const maxJsonDepth: number = 200

/**
 * Parses JSON from outside the process. Use it instead of `JSON.parse` wherever a string crosses a boundary:
 * everything behind it may then walk the value recursively. The caller bounds the length.
 *
 * @throws SyntaxError if it is not JSON, or is nested more than `maxJsonDepth` levels deep.
 */
export function parseJson(json: string): unknown {
  if (nests(json)) throw new SyntaxError(`nested more than ${maxJsonDepth} levels deep`)
  return JSON.parse(json)
}

/** The same check for a value that did not arrive as a string: from a thread's port or a library. */
export function isTooDeep(value: unknown): boolean {
  let level: object[] = isObject(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxJsonDepth) return true
    const seen = new Set<object>()
    for (const parent of level) {
      for (const child of Object.values(parent)) if (isObject(child)) seen.add(child)
    }
    level = [...seen]
  }
  return false
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}

const quote = 0x22

/** Brackets inside strings do not count. Strings that never end are left to `JSON.parse`. */
function nests(json: string): boolean {
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
