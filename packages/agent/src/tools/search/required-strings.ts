import type { PatternNode } from './search-pattern.ts'

/** More would cost more than the search for the pattern itself. */
const maxAlternatives = 8
/** Single characters are in most lines. */
const minLength = 2

/** Strings of which every matching line contains at least one; `null` if there are none that help. */
export function requiredStrings(node: PatternNode): readonly string[] | null {
  const found = required(node)
  return found?.every(({ length }) => length >= minLength) ? found : null
}

function required(node: PatternNode): readonly string[] | null {
  switch (node.type) {
    case 'character':
      return [String.fromCodePoint(node.code)]
    case 'sequence':
      return best([...runs(node.nodes), ...node.nodes.map(required)])
    case 'alternatives': {
      const each = node.nodes.map(required)
      const all = each.flatMap((strings) => strings ?? [])
      return each.includes(null) || all.length > maxAlternatives ? null : all
    }
    case 'repeat':
      return node.min > 0 ? required(node.node) : null
    default:
      return null
  }
}

/** Neighbouring characters, joined. */
function runs(nodes: readonly PatternNode[]): string[][] {
  const found: string[][] = []
  let run = ''
  for (const node of nodes) {
    const text = textOf(node)
    if (text !== null) run += text
    else {
      if (run !== '') found.push([run])
      run = ''
    }
  }
  return run === '' ? found : [...found, [run]]
}

function textOf(node: PatternNode): string | null {
  if (node.type === 'character') return String.fromCodePoint(node.code)
  if (node.type !== 'sequence') return null
  const texts = node.nodes.map(textOf)
  return texts.includes(null) ? null : texts.join('')
}

/** The one whose shortest string is the longest; a single string if that does not decide. */
function best(candidates: readonly (readonly string[] | null)[]): readonly string[] | null {
  let chosen: readonly string[] | null = null
  for (const candidate of candidates) {
    if (candidate === null) continue
    if (chosen === null || rank(candidate) > rank(chosen)) chosen = candidate
  }
  return chosen
}

function rank(strings: readonly string[]): number {
  return Math.min(...strings.map(({ length }) => length)) - (strings.length - 1) / 100
}
