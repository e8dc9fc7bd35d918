import { endOfString } from '@curfew/core/internal'

/** Where something stands in a text of JSON. */
export interface JsonSpan {
  /** From 1. */
  readonly line: number
  /** Of its key; of the value itself where it has none. */
  readonly keyStart: number
  readonly start: number
  readonly end: number
}

/** What is looked for, key by key: so the text is read once, however many pointers there are and however deep it is. */
interface Wanted {
  children: Map<string, Wanted> | null
  span: JsonSpan | null
}

/**
 * Where the values of these JSON pointers stand. The text must be JSON that was parsed before; of two members with one
 * name the last counts, as it does for `JSON.parse`.
 */
export class JsonSpans {
  readonly #root: Wanted = { children: null, span: null }

  constructor(text: string, pointers: Iterable<string>) {
    for (const pointer of pointers) {
      let at = this.#root
      for (const key of keysOf(pointer)) {
        at.children ??= new Map()
        let next = at.children.get(key)
        if (next === undefined) {
          next = { children: null, span: null }
          at.children.set(key, next)
        }
        at = next
      }
    }
    scan(text, this.#root)
  }

  /** `null` if it is not there. */
  at(pointer: string): JsonSpan | null {
    let at: Wanted | undefined = this.#root
    for (const key of keysOf(pointer)) at = at?.children?.get(key)
    return at?.span ?? null
  }

  /** The same, or if it is not there the nearest of what it would stand in. */
  near(pointer: string): JsonSpan {
    let at: Wanted | undefined = this.#root
    let span = at.span!
    for (const key of keysOf(pointer)) {
      at = at.children?.get(key)
      if (at?.span == null) break
      span = at.span
    }
    return span
  }
}

export function keysOf(pointer: string): string[] {
  const keys = pointer.split('/')
  keys.shift()
  return pointer.includes('~') ? keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')) : keys
}

export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

interface Container {
  /** `null` where nothing in it is looked for. */
  readonly wanted: Wanted | null
  readonly isArray: boolean
  readonly keyStart: number
  readonly start: number
  readonly line: number
  index: number
  /** Of the member that is being read. */
  key: string | null
  memberStart: number
  memberLine: number
}

function scan(text: string, root: Wanted): void {
  const open: Container[] = []
  let line = 1
  let at = 0
  /** Who wants the value that begins here. */
  const wantedHere = (): Wanted | null => {
    const around = open.at(-1)
    if (around === undefined) return root
    if (around.wanted === null) return null
    const key = around.isArray ? String(around.index) : around.key
    return key === null ? null : (around.wanted.children?.get(key) ?? null)
  }
  const begin = (start: number): { keyStart: number; line: number } => {
    const around = open.at(-1)
    if (around === undefined || around.isArray) return { keyStart: start, line }
    return { keyStart: around.memberStart, line: around.memberLine }
  }
  while (at < text.length) {
    const character = text[at]!
    if (character === '\n') {
      line++
      at++
    } else if (character === '{' || character === '[') {
      const wanted = wantedHere()
      open.push({
        wanted,
        isArray: character === '[',
        start: at,
        ...begin(at),
        index: 0,
        key: null,
        memberStart: 0,
        memberLine: 0,
      })
      at++
    } else if (character === '}' || character === ']') {
      const closed = open.pop()
      if (closed?.wanted) {
        const { keyStart, start, line: from } = closed
        closed.wanted.span = { keyStart, start, end: at + 1, line: from }
      }
      at++
    } else if (character === ',') {
      const around = open.at(-1)
      if (around !== undefined) {
        around.index++
        around.key = null
      }
      at++
    } else if (character === '"') {
      const end = endOfString(text, at)
      const around = open.at(-1)
      if (around !== undefined && !around.isArray && around.key === null) {
        // Keys that nobody looks at need not be decoded.
        around.key = around.wanted === null ? '' : (JSON.parse(text.slice(at, end)) as string)
        around.memberStart = at
        around.memberLine = line
      } else settle(wantedHere(), begin(at), at, end)
      at = end
    } else if (/[-\w]/.test(character)) {
      let end = at + 1
      while (end < text.length && /[-+.\w]/.test(text[end]!)) end++
      settle(wantedHere(), begin(at), at, end)
      at = end
    } else at++
  }
}

function settle(
  wanted: Wanted | null,
  from: { readonly keyStart: number; readonly line: number },
  start: number,
  end: number,
): void {
  if (wanted !== null) wanted.span = { ...from, start, end }
}
