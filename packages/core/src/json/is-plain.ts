import { types } from 'node:util'

/**
 * Whether JSON represents a value completely: no classes, getters or non-enumerable properties. The value must have been
 * serialized before, so it has no cycles and is not too large.
 */
export function isPlain(root: unknown): boolean {
  const pending: unknown[] = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'function' || typeof value === 'symbol') return false
    if (typeof value !== 'object' || value === null) continue
    if (types.isProxy(value) || !hasPlainPrototype(value)) return false
    const isArray = Array.isArray(value)
    for (const key of Reflect.ownKeys(value)) {
      if (isArray && key === 'length') continue
      const property = Object.getOwnPropertyDescriptor(value, key)!
      if (typeof key === 'symbol' || !property.enumerable || !('value' in property)) return false
      if (isArray && !isIndex(key, value.length)) return false
      pending.push(property.value)
    }
  }
  return true
}

function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || prototype === Array.prototype
}

function isIndex(key: string, length: number): boolean {
  const index = Number(key)
  return Number.isInteger(index) && index >= 0 && index < length && String(index) === key
}
