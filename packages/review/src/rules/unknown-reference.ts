import { nameWords } from '../language/name-words.ts'
import { oncePerList } from '../language/once-per-list.ts'
import { quote } from '../language/printable.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, ownValue } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'

const identifier = String.raw`[A-Za-z][A-Za-z\d]{0,40}(?:[_-][A-Za-z\d]{1,40}){0,8}`
const toolReference = new RegExp(
  String.raw`\b(?:use|call|run|invoke|try|see|using|calling|via)\s+(?:the\s+)?[\x60'"]?(${identifier})(?![\w-]|[./(]\w)|[\x60'"](${identifier})[\x60'"]\s+tool\b`,
  'gi',
)
const parameterReference = new RegExp(
  String.raw`[\x60'"](${identifier})[\x60'"]\s+(?:parameter|argument)\b|\b(?:parameter|argument)\s+[\x60'"](${identifier})[\x60'"]`,
  'gi',
)

/** A model cannot call what does not exist, and may invent it. */
export function* unknownReference(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Generator<Problem> {
  const text = (tool.description ?? '').slice(0, 20_000)
  const { names, words } = knownNames(siblings)
  const isKnown = (name: string): boolean =>
    names.has(name.toLowerCase()) || words.includes(` ${nameWords(name).join(' ')} `)
  const find = (pattern: RegExp, isReference: (name: string) => boolean): string[] => {
    const found = new Set<string>()
    for (const [, first, second] of text.matchAll(pattern)) {
      found.add(first ?? second!)
      if (found.size === maxReferences) break
    }
    return [...found].filter((name) => isReference(name) && !isKnown(name))
  }
  // Part of a list is not enough to tell which tools exist, and it may be listed for other clients, or later.
  if (siblings.length > 1)
    for (const name of find(toolReference, looksLikeTool)) {
      const message = `the description names a tool that is not listed: ${quote(name)}`
      yield { pointer: '/description', message, severity: 'note' }
    }
  for (const name of find(parameterReference, () => true)) {
    const message = `the description names a parameter that does not exist: ${quote(name)}`
    yield { pointer: '/description', message }
  }
}

const maxReferences = 50

/** At least two words, one of which is a verb: `get_user`, `createIssue`. */
function looksLikeTool(name: string): boolean {
  const parts = nameWords(name)
  const hasStyle = name.includes('_') || /[a-z][A-Z]/.test(name)
  return hasStyle && parts.length > 1 && parts.some((word) => verbOf(word)?.form === 'base')
}

interface KnownNames {
  /** Of tools, parameters, results and choices, in lower case. */
  readonly names: ReadonlySet<string>
  /** The words of all names of tools, as the text may leave out a prefix. */
  readonly words: string
}

const knownNames: (siblings: readonly ReviewedTool[]) => KnownNames = oncePerList((siblings) => {
  const names = new Set<string>()
  for (const tool of siblings) {
    names.add(tool.name.toLowerCase())
    for (const { name, schema } of walkSchema(tool).subschemas) {
      names.add(name.toLowerCase())
      for (const choice of asArray(ownValue(schema, 'enum')).slice(0, 200))
        if (typeof choice === 'string') names.add(choice.slice(0, 100).toLowerCase())
    }
    for (const name of Object.keys(asSchema(ownValue(tool.outputSchema, 'properties'))).slice(0, 200))
      names.add(name.toLowerCase())
  }
  return { names, words: siblings.map(({ name }) => ` ${nameWords(name).join(' ')} `).join('|') }
})
