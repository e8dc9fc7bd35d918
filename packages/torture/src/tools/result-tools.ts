// biome-ignore-all lint/suspicious/noThenProperty: hostile results are the purpose
import type { ToolContext } from '../adapter/adapter.ts'
import { recordEvent } from './record-event.ts'

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether a value that nobody should have read was read shows in the events. */
const trap = (name: string): never => {
  recordEvent('trap', name)
  throw new Error(`the trap ${name}`)
}

export const resolvesTwice = (): object => ({
  then(resolve: (value: string) => void) {
    resolve('the first result')
    setTimeout(() => resolve('the second result'), 20)
  },
})

export const resolvesAndRejects = (): object => ({
  then(resolve: (value: string) => void, reject: (error: Error) => void) {
    resolve('the first result')
    reject(new Error('the second outcome'))
  },
})

export const rejectsAndResolves = (): object => ({
  then(resolve: (value: string) => void, reject: (error: Error) => void) {
    reject(new Error('the first outcome'))
    setTimeout(() => resolve('the second result'), 20)
  },
})

export const resolvesAndThrows = (): object => ({
  then(resolve: (value: string) => void) {
    resolve('the first result')
    throw new Error('the second outcome')
  },
})

export const thenThatThrows = (): object => ({
  get then() {
    throw new Error('reading `then` failed')
  },
})

/** Returns, and an exception follows that nobody can catch. */
export function throwsAfterReturn(): string {
  setTimeout(() => {
    throw new Error('thrown after the return')
  }, 50)
  return 'returned'
}

/** Returns, and a rejection follows that nobody handles. */
export function rejectsAfterReturn(): string {
  setTimeout(() => void Promise.reject(new Error('rejected after the return')), 50)
  return 'returned'
}

export async function emitsErrorAfterReturn(): Promise<string> {
  const { EventEmitter } = await import('node:events')
  setTimeout(() => new EventEmitter().emit('error', new Error('emitted after the return')), 50)
  return 'returned'
}

export function settlesWhenAborted({ ms }: { ms: number }, { signal }: ToolContext): Promise<string> {
  return new Promise((resolve) => {
    recordEvent('started')
    signal.addEventListener('abort', () => setTimeout(() => resolve('a result after all'), ms))
  })
}

export async function reportsAfterReturn(_: object, { output, progress }: ToolContext): Promise<string> {
  const timer = setInterval(() => {
    output('more output\n')
    progress(1)
  }, 10)
  setTimeout(() => clearInterval(timer), 300)
  return 'returned'
}

// biome-ignore-start lint/complexity/useLiteralKeys: each is a tool
export const rejectsWith: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  string: () => 'a string as an error',
  number: () => 0,
  symbol: () => Symbol('an error'),
  object: () => ({ reason: 'an object as an error' }),
  function: () => () => 'a function as an error',
  'message-getter': () => Object.defineProperty(new Error(), 'message', { get: () => trap('message') }),
  'stack-getter': () =>
    Object.defineProperty(new Error('the message of the failure'), 'stack', { get: () => trap('stack') }),
  'cyclic-cause': () => {
    const error = new Error('the message of the failure')
    error.cause = error
    return error
  },
  'deep-cause': () => {
    let error = new Error('the innermost')
    for (let index = 0; index < 20_000; index++) error = new Error(`level ${index}`, { cause: error })
    return error
  },
  'huge-message': () => new Error('x'.repeat(50_000_000)),
  'abort-error': () => new DOMException('This operation was aborted', 'AbortError'),
  'timeout-error': () => new DOMException('The operation timed out', 'TimeoutError'),
  'frozen-error': () => Object.freeze(new Error('the message of the failure')),
  'null-prototype': () => Object.assign(Object.create(null), { message: 'the message of the failure' }),
  proxy: () =>
    new Proxy(new Error('the message of the failure'), {
      get: (_, key) => trap(String(key)),
      has: (_, key) => trap(String(key)),
      getPrototypeOf: () => trap('prototype'),
      ownKeys: () => trap('keys'),
    }),
  'not-a-string-message': () => Object.assign(new Error(), { message: { text: 'an object' } }),
}

export const returnsValue: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'empty-string': () => '',
  nan: () => Number.NaN,
  bigint: () => 12345678901234567890n,
  symbol: () => Symbol('a result'),
  function: () => () => 'a function as a result',
  cyclic: () => {
    const value: Record<string, unknown> = { name: 'cyclic' }
    value.self = value
    return value
  },
  'to-json-throws': () => ({ toJSON: () => trap('toJSON') }),
  'getter-throws': () => ({
    name: 'getter',
    get secret() {
      return trap('secret')
    },
  }),
  proxy: () =>
    new Proxy(
      {},
      {
        get: (_, key) => (key === 'then' ? undefined : trap(String(key))),
        has: (_, key) => trap(String(key)),
        getPrototypeOf: () => trap('prototype'),
        ownKeys: () => trap('keys'),
      },
    ),
  'revoked-proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return { proxy }
  },
  deep: () => {
    let value: object = {}
    for (let index = 0; index < 100_000; index++) value = { value }
    return value
  },
  wide: () => Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key${index}`, index])),
  'map-and-date': () => ({ map: new Map([['a', 1]]), date: new Date(Number.NaN) }),
  'typed-array': () => new Uint8Array(20_000_000),
  'sparse-array': () => {
    const array: number[] = []
    array.length = 2 ** 31
    return array
  },
  stream: () => new ReadableStream(),
  'error-as-value': () => new Error('an error that was returned'),
}
// biome-ignore-end lint/complexity/useLiteralKeys: see above

/** Rejects with a value that is no ordinary error. */
export async function rejects({ with: name }: { with: string }): Promise<never> {
  throw rejectsWith[name]!()
}

/** Throws such a value synchronously. */
export function throws({ with: name }: { with: string }): never {
  throw rejectsWith[name]!()
}

/** Returns a value that is hard to serialise. */
export const returns = ({ value }: { value: string }): unknown => returnsValue[value]!()

/** Returns an object, and changes it afterwards. */
export function changesResult(): object {
  const result: Record<string, unknown> = { state: 'as returned' }
  setImmediate(() => {
    result.state = 'changed afterwards'
    result.self = result
  })
  return result
}

/** Changes its arguments. */
export async function changesParams(params: Record<string, unknown>): Promise<string> {
  for (const key of Object.keys(params)) delete params[key]
  params.toJSON = () => trap('toJSON')
  await wait(10)
  return 'changed'
}

/** What calls of `mistakes/proto-in-arguments` must not change. */
export const readsPrototype = (): string => ('polluted' in {} ? 'it was changed' : 'it is intact')

/** Breaks what the process has in common. */
export function changesGlobals(): string {
  const parse = JSON.parse
  JSON.parse = () => trap('JSON.parse')
  setTimeout(() => {
    JSON.parse = parse
  }, 1_000)
  return 'changed'
}
