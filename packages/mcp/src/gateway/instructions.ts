import { searchToolName, type View } from '@curfew/core/internal'
import type { Upstream } from '../client/upstream.ts'
import { callToolName } from './call-tool.ts'
import type { Catalog } from './catalog.ts'
import { cutAtWord, moreMark } from './shorten-text.ts'

const maxServerLength = 2_000
/** For all servers together. */
const maxTotalLength = 8_000
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u

/** The instructions for a client's model: how to use the list of tools, and what the servers say about theirs. */
export function instructionsFor(
  upstreams: readonly Upstream[],
  view: View,
  catalog: Pick<Catalog, 'get' | 'isShortened'>,
): string | null {
  const servers = upstreams.flatMap(({ name, state: { instructions } }) =>
    instructions === null ? [] : [{ name, instructions }],
  )
  const lengths = shareLength(servers.map(({ instructions }) => instructions.length))
  const parts = [
    ...explainView(view, catalog),
    ...servers.map(({ name, instructions }, index) => labelled(name, instructions, lengths[index]!)),
  ]
  return parts.length === 0 ? null : parts.join('\n\n')
}

function explainView(view: View, catalog: Pick<Catalog, 'get' | 'isShortened'>): string[] {
  const isServed = (name: string): boolean => catalog.get(name)?.upstream === null
  if (view === 'brief' && catalog.isShortened && isServed(searchToolName))
    return [`A description that ends with ${moreMark} is shortened; ${searchToolName} returns the full one.`]
  if (view !== 'stub') return []
  const search = `Tools are listed by name only; ${searchToolName} returns their descriptions and parameters.`
  const call = ` If you can call a tool only without arguments, call it with ${callToolName}.`
  return [isServed(callToolName) ? search + call : search]
}

/** Every line of a server's text is indented, so that it cannot imitate the heading of another server. */
function labelled(server: string, instructions: string, maxLength: number): string {
  const text = cutAtWord(instructions, maxLength).trimEnd()
  const lines = text.split(lineBreaks).map((line) => (line.trim() === '' ? '' : `  ${line}`))
  const notice = `  [shortened by Curfew: ${text.length} of ${instructions.length} characters]`
  return [
    `Instructions of the MCP server ${server}:`,
    ...lines,
    ...(text.length < instructions.length ? [notice] : []),
  ].join('\n')
}

/** How much of each text is used: short ones are used whole, and the longer ones share what is left. */
function shareLength(lengths: readonly number[]): readonly number[] {
  const byLength = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length)
  const shares: number[] = []
  let left = maxTotalLength
  byLength.forEach(({ length, index }, position) => {
    const share = Math.min(length, maxServerLength, Math.floor(left / (byLength.length - position)))
    shares[index] = share
    left -= share
  })
  return shares
}
