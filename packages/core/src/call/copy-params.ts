import { CurfewError } from '../errors/curfew-error.ts'
import { maxJsonDepth } from '../json/parse-json.ts'

/** More than this would hold up every other call while it is copied. */
const maxParts = 2_000_000

/**
 * Copies a call's parameters, so that nobody can change them after they were validated, approved or locked. They
 * represent JSON from a model: a value that JSON cannot represent is rejected with its path.
 */
export function copyParams(params: unknown): unknown {
  return copyJson(params, 'params')
}

/** Copies a call's `meta`, which must be an object. */
export function copyMeta(meta: unknown): Readonly<Record<string, unknown>> {
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
    throwInvalid(
      'meta',
      'an object',
      meta === null ? 'null' : Array.isArray(meta) ? 'an array' : `a ${typeof meta}`,
    )
  return copyJson(meta, 'meta') as Record<string, unknown>
}

/** Copies validated parameters. A schema may have produced any value (a Date), so those that are not plain data are kept. */
export function copyValidated(params: unknown): unknown {
  return copy(params, 'params', 0, { root: 'params', parts: 0, reject: null })
}

function copyJson(value: unknown, root: string): unknown {
  return copy(value, root, 0, {
    root,
    parts: 0,
    reject: (path, got) => throwInvalid(path, 'plain data, as in JSON', got),
  })
}

interface Copying {
  readonly root: string
  parts: number
  /** `null` keeps values that are not plain data. */
  readonly reject: ((path: string, got: string) => never) | null
}

function copy(value: unknown, path: string, depth: number, copying: Copying): unknown {
  if (isJson(value)) return value
  if (typeof value !== 'object' || value === null) return pass(value, `a ${typeof value}`, path, copying)
  if (depth > maxJsonDepth) throwInvalid(copying.root, `at most ${maxJsonDepth} levels`, 'more')
  if (Array.isArray(value)) return copyArray(value, path, depth, copying)
  if (!isPlainObject(value)) return pass(value, `an instance of ${className(value)}`, path, copying)
  const result: Record<string, unknown> = {}
  const keys = Object.keys(value)
  count(keys.length, copying)
  for (const key of keys) {
    const child = (value as Record<string, unknown>)[key]
    const copied = isJson(child) ? child : copy(child, `${path}.${key}`, depth + 1, copying)
    if (key === '__proto__') Object.defineProperty(result, key, { value: copied, enumerable: true })
    else result[key] = copied
  }
  return result
}

function copyArray(value: readonly unknown[], path: string, depth: number, copying: Copying): unknown[] {
  const result: unknown[] = []
  // Not `map`: an array can have holes, and be of any length without holding anything.
  for (let index = 0; index < value.length; index++) {
    const child = value[index]
    if (child === undefined && !(index in value))
      throwInvalid(`${path}[${index}]`, 'a value', 'a hole in the array')
    count(1, copying)
    result.push(isJson(child) ? child : copy(child, `${path}[${index}]`, depth + 1, copying))
  }
  return result
}

/** It can be used as it is: JSON has it, or leaves it out. */
function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'undefined':
      return true
    default:
      return value === null
  }
}

/** Also if it comes from another realm, which has an `Object` of its own. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function className(value: object): string {
  const type: unknown = value.constructor
  return typeof type === 'function' && type.name !== '' ? type.name.slice(0, 100) : 'a class'
}

function pass(value: unknown, what: string, path: string, { reject }: Copying): unknown {
  return reject === null ? value : reject(path, what)
}

/** What refers to the same object again and again can be far larger than what it takes in memory. */
function count(parts: number, copying: Copying): void {
  copying.parts += parts
  if (copying.parts > maxParts) throwInvalid(copying.root, `at most ${maxParts} values`, 'more')
}

function throwInvalid(path: string, expected: string, got: string): never {
  throw new CurfewError('INVALID_PARAMS', `${path}: expected ${expected}, got ${got}`, { field: path })
}
