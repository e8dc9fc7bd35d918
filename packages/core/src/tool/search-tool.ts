import { described, objectSchema } from '../schema/object-schema.ts'
import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'
import type { ToolContext } from './tool-context.ts'

export const searchToolName = 'search_tools'

/** A tool that can be found. */
export interface SearchableTool {
  readonly name: string
  readonly description: string
  readonly parameterNames: readonly string[]
  /** What the model reads: its description and parameters. */
  definition(): unknown
}

const defaultLimit = 5
const maxLimit = 50
const selection = /^select:\s*/

/**
 * In the stub view, a model sees only names; this tool returns definitions. `list` returns the tools that a call can find, and `nameOf`
 * the name of a tool for one that is not in the list.
 */
export function defineSearchTool(
  list: (context: Pick<ToolContext, 'uid'>) => readonly SearchableTool[],
  description = 'Find tools by words or by name and show their parameters.',
  nameOf: (name: string) => string = (name) => name,
): Tool {
  return defineTool({
    name: searchToolName,
    description,
    usage:
      'Use it before the first call of a tool whose parameters are not listed. ' +
      'Words match names and descriptions; select:a,b shows the tools a and b. Returns tools with their parameters, at most `limit`, and the names that were not found.',
    parameters: objectSchema(['query'], {
      query: { type: 'string', minLength: 1, description: 'Words to search for, or select:NAME,NAME.' },
      limit: described(
        { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
        'The maximum number of tools to return.',
      ),
    }),
    readOnly: true,
    concurrent: true,
    alwaysLoad: true,
    openWorld: false,
    polling: true,
    execute({ query, limit }, context) {
      const all = list(context).filter(({ name }) => name !== searchToolName)
      const { found, unknown } = selection.test(query)
        ? select(all, query.replace(selection, ''), nameOf)
        : search(all, query)
      return {
        tools: found.slice(0, limit).map((tool) => tool.definition()),
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
  readonly found: readonly SearchableTool[]
  /** Selected names that do not exist. */
  readonly unknown: readonly string[]
}

function select(tools: readonly SearchableTool[], list: string, nameOf: (name: string) => string): Found {
  const names = list.split(',').map((name) => name.trim())
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const find = (name: string): SearchableTool | undefined => byName.get(name) ?? byName.get(nameOf(name))
  const unknown = names.filter((name) => name !== '' && find(name) === undefined)
  return { found: [...new Set(names.map(find).filter((tool) => tool !== undefined))], unknown }
}

/** Sorted by score: a word in the name counts more than one in the description. */
function search(tools: readonly SearchableTool[], query: string): Found {
  const words = [...new Set(query.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '')
  const found = tools
    .map((tool) => ({ tool, score: score(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
  return { found, unknown: [] }
}

function score({ name, description, parameterNames }: SearchableTool, words: readonly string[]): number {
  const inName = name.toLowerCase()
  const inDescription = description.toLowerCase()
  const parameters = parameterNames.join(' ').toLowerCase()
  return words.reduce(
    (sum, word) =>
      sum +
      (inName.includes(word) ? 4 : 0) +
      (inDescription.includes(word) ? 2 : 0) +
      (parameters.includes(word) ? 1 : 0),
    0,
  )
}
