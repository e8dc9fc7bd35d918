import { CredentialRequiredError, CurfewError, ToolTimeoutError } from '@curfew/core'
import fc from 'fast-check'

const fail = (): never => {
  throw new Error('unreadable')
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const traps = new Proxy({}, { get: () => fail })

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function doubling(levels: number): unknown {
  let value: unknown = { n: 1 }
  for (let level = 0; level < levels; level++) value = { a: value, b: value }
  return value
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { list: [] }
  value.self = value
  ;(value.list as unknown[]).push(value)
  return value
}

function detached(): Uint8Array {
  const bytes = new Uint8Array(8)
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  return bytes
}

type Resolve = (value: unknown) => void

function withThen<T extends object>(target: T, then: unknown): T {
  return Object.defineProperty(target, 'then', { value: then, enumerable: true })
}

const resolveThrice = (resolve: Resolve): void => {
  for (let count = 0; count < 3; count++) resolve(count)
}

const settleBothWays = (resolve: Resolve, reject: Resolve): void => {
  reject(null)
  resolve(1)
  fail()
}

/** Promises and thenables that violate the specification. */
const thenables: readonly (() => unknown)[] = [
  () => Object.defineProperty({}, 'then', { get: fail }),
  () => withThen({}, fail),
  () => withThen({}, null),
  () => withThen({}, resolveThrice),
  () => withThen({}, settleBothWays),
  () => withThen({}, () => {}),
  () => withThen(Promise.resolve(1), fail),
  () => withThen(Promise.resolve(1), resolveThrice),
  () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: fail }),
  () => Object.assign(Promise.resolve(1), { constructor: { [Symbol.species]: fail } }),
]

/** Errors with throwing or invalid properties. */
const errors: readonly (() => unknown)[] = [
  () => Object.defineProperty(new Error('x'), 'message', { get: fail }),
  () => Object.defineProperty(new Error('x'), 'name', { get: fail }),
  () => Object.defineProperty(new Error('x'), 'stack', { get: fail }),
  () => Object.defineProperty(new Error('x'), 'cause', { get: fail }),
  () => Object.defineProperty(new CurfewError('TOOL_FAILED', 'x'), 'code', { get: fail }),
  () => Object.defineProperty(new CurfewError('TOOL_FAILED', 'x'), 'hadNoEffect', { get: fail }),
  () => Object.defineProperty(new CurfewError('TOOL_FAILED', 'x'), 'retryMayHelp', { get: fail }),
  () => Object.defineProperty(new CurfewError('TOOL_FAILED', 'x'), 'includesOutput', { get: fail }),
  () => new CurfewError('CANCELLED', 'not really'),
  () => new CurfewError({ toString: 1 } as never, 'x', { field: Symbol('f') as never }),
  () => new CredentialRequiredError('x', { key: Symbol('k') as never, reason: 'rejected', retrySafe: true }),
  () =>
    Object.defineProperty(
      new CredentialRequiredError('x', { key: 'K', reason: 'rejected', retrySafe: true }),
      'key',
      { get: fail },
    ),
  () => Object.create(ToolTimeoutError.prototype),
  () => Object.create(CurfewError.prototype),
  () => new DOMException('gone', 'AbortError'),
  () => Object.setPrototypeOf(new Error('x'), new Proxy({}, traps)),
]

const objects: readonly (() => unknown)[] = [
  () => revoked({}),
  () => revoked([]),
  () => revoked(() => {}),
  () => revoked(new Error('x')),
  () => new Proxy({}, traps),
  () => new Proxy([], traps),
  () => new Proxy(new Error('x'), traps),
  () => Object.create(null),
  () => ({ toString: 1, valueOf: 1 }),
  () => ({ [Symbol.toPrimitive]: fail, toString: fail, valueOf: fail }),
  () => Object.defineProperty({}, 'x', { enumerable: true, get: fail }),
  () => ({ toJSON: fail }),
  () => ({ toJSON: () => 1n }),
  () => ({ toJSON: () => new Proxy({}, traps) }),
  () => ({ next: fail, [Symbol.iterator]: fail }),
  () => new Date(Number.NaN),
  () => Object.assign([], { map: fail, entries: fail, [Symbol.iterator]: fail }),
  () => deep(50_000),
  cyclic,
  detached,
  () => new SharedArrayBuffer(8),
  () => new Uint8Array(new SharedArrayBuffer(8)),
  () => Object.defineProperty(new Uint8Array(4), 'length', { get: fail }),
  () => new Map([[1, cyclic()]]),
  () => JSON.parse('{"__proto__": {"admin": true}}'),
  () => fail,
  () => Symbol('s'),
  () => globalThis,
]

/** Small in memory, enormous when traversed. */
const bombs: readonly (() => unknown)[] = [
  () => Object.assign([], { length: 4_000_000_000 }),
  () => doubling(60),
]

const primitives = [null, undefined, 0, -0, Number.NaN, 1n, '', '\ud800', true, 'constructor', '__proto__']

/** Created in the test, because fast-check would read the value. */
type CreateValue = () => unknown

const leaf: fc.Arbitrary<CreateValue> = fc.oneof(
  fc.constantFrom(...primitives).map((value) => () => value),
  { weight: 4, arbitrary: fc.constantFrom(...thenables, ...errors, ...objects, ...bombs) },
)

const around = (
  leaf: fc.Arbitrary<CreateValue>,
  wrap: (value: unknown) => unknown,
): fc.Arbitrary<CreateValue> => leaf.map((make) => () => wrap(make()))

/** Anything that a tool may pass to its context. */
export const hostileValue: fc.Arbitrary<CreateValue> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  around(leaf, (value) => ({ id: value, name: value, params: value, timeout: value })),
  around(leaf, (value) => ({ message: value, choices: value, key: value, tool: value })),
  around(leaf, (value) => ({ current: value, total: value, message: value })),
)

/** Anything that a tool may return or throw. */
export const hostileOutcome: fc.Arbitrary<CreateValue> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  around(leaf, (value) => ({ value })),
  around(leaf, (value) => [value, value]),
  around(leaf, (value) => new Error('outer', { cause: value })),
  around(leaf, (value) => Object.assign(new Error('outer'), { message: value, name: value, stack: value })),
  around(leaf, (value) => new AggregateError([value], 'several')),
  around(leaf, (value) => new CurfewError('TOOL_FAILED', 'outer', { cause: value })),
)
