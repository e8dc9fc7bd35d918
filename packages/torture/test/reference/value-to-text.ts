import { isMutant } from './mutation.ts'

const maxCharacters = 200_000
const maxDepth = 40
const maxKeys = 20_000

/** Any value of a tool as text: like JSON, but bounded, and nothing in the value can make it fail. */
export function valueToText(value: unknown): string {
  if (isMutant('values-by-json')) return typeof value === 'string' ? value : JSON.stringify(value)
  if (isMutant('values-by-template')) return `${value}`
  if (isMutant('values-uncapped') && typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'string') return value
  if (value === undefined) return '(no result)'
  const written: string[] = []
  write(value, { written, left: maxCharacters, path: new Set() })
  return written.join('')
}

interface Writing {
  readonly written: string[]
  left: number
  /** The objects that contain the present one. */
  readonly path: Set<object>
}

function add(writing: Writing, text: string): void {
  writing.written.push(text.slice(0, Math.max(0, writing.left)))
  writing.left -= text.length
}

function write(value: unknown, writing: Writing): void {
  if (writing.left <= 0) return
  try {
    if (typeof value === 'string') return add(writing, JSON.stringify(value.slice(0, maxCharacters)))
    if (typeof value === 'function') return add(writing, '"(a function)"')
    if (typeof value !== 'object' || value === null) return add(writing, String(value))
    if (writing.path.has(value)) return add(writing, '"(contains itself)"')
    if (writing.path.size >= maxDepth) return add(writing, '"..."')
    writing.path.add(value)
    writeObject(value, writing)
    writing.path.delete(value)
  } catch {
    add(writing, '"(cannot be read)"')
  }
}

function writeObject(value: object, writing: Writing): void {
  if (value instanceof Error) return add(writing, JSON.stringify(errorToText(value)))
  if (ArrayBuffer.isView(value)) return add(writing, `"(binary, ${value.byteLength} bytes)"`)
  if (value instanceof Date)
    return add(writing, `"${Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString()}"`)
  if (value instanceof Map) return writeEntries([...value], writing)
  if (value instanceof Set) return writeItems([...value], writing)
  if (Array.isArray(value)) return writeItems(value, writing)
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return write(toJSON.call(value), writing)
  const keys = Object.keys(value).slice(0, maxKeys)
  writeEntries(
    keys.map((key) => [key, () => (value as Record<string, unknown>)[key]]),
    writing,
  )
}

function writeItems(items: readonly unknown[], writing: Writing): void {
  add(writing, '[')
  for (let index = 0; index < items.length && writing.left > 0; index++) {
    if (index > 0) add(writing, ',')
    write(items[index], writing)
  }
  add(writing, ']')
}

function writeEntries(entries: readonly (readonly [unknown, unknown])[], writing: Writing): void {
  add(writing, '{')
  for (const [index, [key, value]] of entries.entries()) {
    if (writing.left <= 0) break
    add(writing, `${index > 0 ? ',' : ''}${JSON.stringify(String(key))}:`)
    write(typeof value === 'function' ? read(value as () => unknown) : value, writing)
  }
  add(writing, '}')
}

function read(get: () => unknown): unknown {
  try {
    return get()
  } catch {
    return '(cannot be read)'
  }
}

/** Whatever was thrown. */
export function errorToText(error: unknown): string {
  if (isMutant('errors-by-message')) return (error as Error).message
  if (isMutant('errors-by-template')) return `${error}`
  if (isMutant('errors-by-stack')) return (error as Error).stack!
  if (isMutant('clones-errors')) return String((structuredClone(error) as Error).message)
  if (isMutant('follows-causes')) return withCauses(error)
  try {
    if (typeof error === 'string') return error
    if (typeof error !== 'object' || error === null)
      return `the tool threw ${typeof error} ${valueToText(error)}`
    const { message } = error as Error
    return typeof message === 'string' && message !== ''
      ? message
      : `the tool threw ${valueToText(message ?? error)}`
  } catch {
    return 'the tool threw an error that cannot be read'
  }
}

function withCauses(error: unknown): string {
  const { message, cause } = error as Error
  return [message, ...[cause].filter(Boolean).map((one) => withCauses(one))].join(': ')
}
