import { CurfewError } from '../errors/curfew-error.ts'
import { maxJsonDepth } from '../json/parse-json.ts'

/** More than this would hold up every other call while it is copied. */
const maxParts = 2_000_000

/**
 * A copy of a call's parameters, so that nobody can change them after they were checked, approved or locked. They stand
 * for JSON that a model wrote: whatever JSON does not have is rejected with its path.
 */
export function copyParams(params: unknown): unknown {
  return copy(params, 'params', 0, { parts: 0, reject: (path, what) => throwInvalid(path, plainData, what) })
}

/** The same for what a schema made of them, which may hold anything (a Date): that is passed on as it is. */
export function copyValidated(params: unknown): unknown {
  return copy(params, 'params', 0, { parts: 0, reject: null })
}

interface Copying {
  parts: number
  /** `null` passes on what is not plain data. */
  readonly reject: ((path: string, what: string) => never) | null
}

const plainData = 'plain data, as in JSON'

function copy(value: unknown, path: string, depth: number, copying: Copying): unknown {
  if (isJson(value)) return value
  if (typeof value !== 'object' || value === null) return pass(value, `a ${typeof value}`, path, copying)
  if (depth > maxJsonDepth) throwInvalid('params', `at most ${maxJsonDepth} levels`, 'more')
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
  if (copying.parts > maxParts) throwInvalid('params', `at most ${maxParts} values`, 'more')
}

function throwInvalid(path: string, expected: string, got: string): never {
  throw new CurfewError('INVALID_PARAMS', `${path}: expected ${expected}, got ${got}`, { field: path })
}
