import { types } from 'node:util'
import { attempt } from './attempt.ts'

/** Bounds of a copy. */
const maxDepth = 8
const maxParts = 1_000
const maxTextLength = 16_384

/**
 * Copies any value, such as a thrown one, to plain data of bounded size. Runs no code of the value except the getters of
 * an error's `name`, `message`, `stack`, `cause` and `errors`.
 */
export function plainData(value: unknown, hide: (text: string) => string = (text) => text): unknown {
  return new Copier(hide).copy(value, 0)
}

class Copier {
  readonly #hide: (text: string) => string
  readonly #containers = new Set<object>()
  #parts = 0

  constructor(hide: (text: string) => string) {
    this.#hide = hide
  }

  copy(value: unknown, depth: number): unknown {
    if (++this.#parts > maxParts) return '[more]'
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'object':
        return value === null ? null : this.#object(value, depth)
      case 'function':
        return '[function]'
      case 'boolean':
      case 'undefined':
        return value
      default: {
        const text = String(value)
        const hidden = this.#text(text)
        return typeof value === 'number' && hidden === text ? value : hidden
      }
    }
  }

  /** Redacts before truncating, because a truncated secret would not be found. */
  #text(text: string): string {
    const hidden = this.#hide(text)
    return hidden.length > maxTextLength ? `${hidden.slice(0, maxTextLength)} [...]` : hidden
  }

  #object(value: object, depth: number): unknown {
    if (types.isProxy(value)) return '[Proxy]'
    if (this.#containers.has(value)) return '[circular]'
    if (depth >= maxDepth) return '[nested deeper]'
    this.#containers.add(value)
    try {
      if (Array.isArray(value)) return this.#array(value, depth)
      return types.isNativeError(value) ? this.#error(value, depth) : this.#other(value, depth)
    } catch {
      return '[cannot be shown]'
    } finally {
      this.#containers.delete(value)
    }
  }

  #array(value: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = []
    for (let index = 0; index < value.length && this.#parts <= maxParts; index++) {
      copy.push(this.copy(Object.getOwnPropertyDescriptor(value, index)?.value, depth + 1))
    }
    return copy
  }

  #error(error: Error, depth: number): object {
    const copy = this.#properties(error, depth)
    for (const key of ['name', 'message', 'stack'] as const) {
      const text = read(error, key)
      if (typeof text === 'string') copy[key] = this.copy(text, depth + 1)
      else delete copy[key]
    }
    for (const key of ['cause', 'errors']) {
      const inner = read(error, key)
      if (inner !== undefined) copy[key] = this.copy(inner, depth + 1)
    }
    return copy
  }

  /** A class instance without enumerable properties is represented by its class name. */
  #other(value: object, depth: number): unknown {
    if (types.isDate(value)) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return `[${value.byteLength} bytes]`
    const copy = this.#properties(value, depth)
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === null || prototype === Object.prototype || Object.keys(copy).length > 0) return copy
    return `[${this.#text(kindOf(prototype))}]`
  }

  #properties(value: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      if (this.#parts > maxParts) break
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (property === undefined || !('value' in property)) continue
      const child = this.copy(property.value, depth + 1)
      Object.defineProperty(copy, this.#text(key), {
        value: child,
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return copy
  }
}

function read(error: Error, key: string): unknown {
  return attempt(() => (error as unknown as Record<string, unknown>)[key], undefined)
}

function kindOf(prototype: unknown): string {
  const definer: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  if (typeof definer !== 'function' || types.isProxy(definer)) return 'object'
  const name: unknown = Object.getOwnPropertyDescriptor(definer, 'name')?.value
  return typeof name === 'string' && name !== '' ? name : 'object'
}
