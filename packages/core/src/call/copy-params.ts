import { fieldError } from '../errors/field-error.ts'
import { maxJsonDepth } from '../json/parse-json.ts'

/** Copying more would delay every other call. */
const maxValues = 2_000_000

/**
 * Copies a call's parameters, so that they cannot change after validation, approval or locking. Values that JSON
 * cannot represent are rejected with their path.
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

/** Copies validated parameters. A schema may produce any value, such as a Date; values that are not plain data are kept. */
export function copyValidated(params: unknown): unknown {
  return copy(params, 'params', 0, { root: 'params', values: 0, reject: null })
}

function copyJson(value: unknown, root: string): unknown {
  return copy(value, root, 0, {
    root,
    values: 0,
    reject: (path, got) => throwInvalid(path, 'plain data, as in JSON', got),
  })
}

interface CopyState {
  readonly root: string
  values: number
  /** `null` keeps values that are not plain data. */
  readonly reject: ((path: string, got: string) => never) | null
}

function copy(value: unknown, path: string, depth: number, state: CopyState): unknown {
  if (isJson(value)) return value
  if (typeof value !== 'object' || value === null)
    return keepOrReject(value, `a ${typeof value}`, path, state)
  if (depth > maxJsonDepth) throwInvalid(state.root, `at most ${maxJsonDepth} levels`, 'more')
  if (Array.isArray(value)) return copyArray(value, path, depth, state)
  if (!isPlainObject(value)) return keepOrReject(value, `an instance of ${className(value)}`, path, state)
  const result: Record<string, unknown> = {}
  const keys = Object.keys(value)
  count(keys.length, state)
  for (const key of keys) {
    const child = (value as Record<string, unknown>)[key]
    const copied = isJson(child) ? child : copy(child, `${path}.${key}`, depth + 1, state)
    if (key === '__proto__') Object.defineProperty(result, key, { value: copied, enumerable: true })
    else result[key] = copied
  }
  return result
}

function copyArray(value: readonly unknown[], path: string, depth: number, state: CopyState): unknown[] {
  const result: unknown[] = []
  // Not `map`, which skips holes: a sparse array may have any length.
  for (let index = 0; index < value.length; index++) {
    const child = value[index]
    if (child === undefined && !(index in value))
      throwInvalid(`${path}[${index}]`, 'a value', 'a hole in the array')
    count(1, state)
    result.push(isJson(child) ? child : copy(child, `${path}[${index}]`, depth + 1, state))
  }
  return result
}

/** Whether a value needs no copy: JSON represents it, or omits it. */
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

/** Also true for objects from another realm, whose `Object` differs. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function className(value: object): string {
  const type: unknown = value.constructor
  return typeof type === 'function' && type.name !== '' ? type.name.slice(0, 100) : 'a class'
}

function keepOrReject(value: unknown, got: string, path: string, { reject }: CopyState): unknown {
  return reject === null ? value : reject(path, got)
}

/** An object is copied once per reference, so a small structure can expand to a huge one. */
function count(values: number, state: CopyState): void {
  state.values += values
  if (state.values > maxValues) throwInvalid(state.root, `at most ${maxValues} values`, 'more')
}

function throwInvalid(path: string, expected: string, got: string): never {
  throw fieldError('INVALID_PARAMS', path, `expected ${expected}, got ${got}`)
}
