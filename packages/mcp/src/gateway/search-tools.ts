import { defineTool, type Tool } from '@curfew/core'
import { type CatalogEntry, definitionOf, searchToolName } from './catalog.ts'

const defaultLimit = 5
const maxLimit = 50
const selection = /^select:\s*/

/** In the stub view, a model sees only names; this tool returns full definitions. */
export function searchTool(entries: () => Iterable<CatalogEntry>): Tool {
  return defineTool({
    name: searchToolName,
    description: 'Find tools by words or by name and show their parameters.',
    usage:
      'Use it before the first call of a tool whose parameters are not listed. ' +
      'Words match names and descriptions; select:a,b shows the tools a and b. Returns tools with their parameters, at most `limit`, and the names that were not found.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, description: 'Words to search for, or select:NAME,NAME.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxLimit,
          default: defaultLimit,
          description: 'The maximum number of tools to return.',
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    alwaysLoad: true,
    openWorld: false,
    polling: true,
    execute({ query, limit }) {
      const all = [...entries()].filter(({ name }) => name !== searchToolName)
      const { found, unknown } = selection.test(query)
        ? select(all, query.replace(selection, ''))
        : search(all, query)
      const tools = found.slice(0, limit).map((entry) => definitionOf(entry, 'brief'))
      return {
        tools,
        ...(found.length > limit && { more: found.length - limit }),
        ...(unknown.length > 0 && { unknown }),
        ...(found.length === 0 && {
          hint: 'No matches. Try fewer or other words, or select: with a listed name.',
        }),
      }
    },
  }) as unknown as Tool
}

interface Found {
  readonly found: readonly CatalogEntry[]
  /** Selected names that do not exist. */
  readonly unknown: readonly string[]
}

function select(entries: readonly CatalogEntry[], list: string): Found {
  const names = list.split(',').map((name) => name.trim())
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  const known = names.filter((name) => byName.has(name))
  const unknown = names.filter((name) => name !== '' && !byName.has(name))
  return { found: [...new Set(known)].map((name) => byName.get(name)!), unknown }
}

/** Sorted by score: a word in the name counts more than one in the description. */
function search(entries: readonly CatalogEntry[], query: string): Found {
  const words = wordsOf(query)
  const found = entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
  return { found, unknown: [] }
}

function score({ name, tool }: CatalogEntry, words: readonly string[]): number {
  const inName = name.toLowerCase()
  const inDescription = tool.description.toLowerCase()
  const parameters = tool.parameterNames.join(' ').toLowerCase()
  return words.reduce(
    (sum, word) =>
      sum +
      (inName.includes(word) ? 4 : 0) +
      (inDescription.includes(word) ? 2 : 0) +
      (parameters.includes(word) ? 1 : 0),
    0,
  )
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '')
}
