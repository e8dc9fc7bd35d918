import { type Node, parseTree } from 'jsonc-parser'

/** The position of a value in JSON source. */
export interface JsonSpan {
  /** Of the key, or of the value if it has none; from 1. */
  readonly line: number
  /** Offset of the key, or of the value if it has none. */
  readonly keyStart: number
  readonly start: number
  readonly end: number
}

/**
 * Looks up positions by JSON pointer. The source, possibly with comments and trailing commas, must have been parsed before,
 * because `parseTree` recurses and tolerates errors. For duplicate keys, the last occurrence is used, as in `JSON.parse`.
 */
export class JsonSpans {
  readonly #root: Node
  readonly #lineStarts: readonly number[]

  constructor(text: string) {
    this.#root = parseSource(text)
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  }

  /** `null` if there is no such value. */
  at(pointer: string): JsonSpan | null {
    const node = findNode(this.#root, keysOf(pointer))
    return node === null ? null : this.#spanOf(node)
  }

  /** The same, or the closest enclosing value that exists. */
  near(pointer: string): JsonSpan {
    let node = this.#root
    for (const key of keysOf(pointer)) {
      const child = childOf(node, key)
      if (child === null) break
      node = child
    }
    return this.#spanOf(node)
  }

  #spanOf(node: Node): JsonSpan {
    const keyStart = keyStartOf(node)
    return { line: this.#lineOf(keyStart), keyStart, start: node.offset, end: node.offset + node.length }
  }

  #lineOf(offset: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#lineStarts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The tree of a source that was parsed before; offsets are those of the source. */
export function parseSource(text: string): Node {
  const root = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true })
  if (root === undefined) throw new SyntaxError('expected a value, got the end of the file')
  return root
}

export function findNode(root: Node, keys: readonly string[]): Node | null {
  let node: Node | null = root
  for (const key of keys) {
    node = childOf(node, key)
    if (node === null) return null
  }
  return node
}

/** Where the property of a value starts, or the value itself if it is not in an object. */
export function keyStartOf({ offset, parent }: Node): number {
  return parent?.type === 'property' ? parent.offset : offset
}

export function keysOf(pointer: string): string[] {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function childOf({ type, children = [] }: Node, key: string): Node | null {
  if (type === 'array') return /^(0|[1-9]\d*)$/.test(key) ? (children[Number(key)] ?? null) : null
  if (type !== 'object') return null
  return children.findLast((property) => property.children![0]!.value === key)?.children?.[1] ?? null
}
