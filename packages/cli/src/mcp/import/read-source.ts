import { readFile, stat } from 'node:fs/promises'
import { messageOf, parseJson } from '@curfew/core/adapter'
import type { Source } from './agents.ts'
import { isRecord } from './is-record.ts'

export type ReadServers =
  | { readonly kind: 'servers'; readonly servers: Readonly<Record<string, unknown>> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: string }

/** Claude Code keeps a history in the same file. */
const mostBytes = 1 << 26

/** The servers that an agent has written down; none is no problem. */
export async function readSource({ file, pick }: Source): Promise<ReadServers> {
  let text: string
  try {
    const { size } = await stat(file)
    if (size > mostBytes) return { kind: 'problem', problem: `has ${size} bytes; the most is ${mostBytes}` }
    text = await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    return { kind: 'problem', problem: `cannot be read: ${messageOf(error)}` }
  }
  try {
    const servers = pick(file.endsWith('.toml') ? await parseToml(text) : parseLenientJson(text))
    if (servers === undefined) return { kind: 'servers', servers: {} }
    if (isRecord(servers)) return { kind: 'servers', servers }
    return { kind: 'problem', problem: 'its servers are not an object' }
  } catch (error) {
    return { kind: 'problem', problem: `cannot be understood: ${messageOf(error).split('\n', 1)[0]}` }
  }
}

/** Only who has such a file pays for the parser. */
async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml')
  return parse(text)
}

/** Some agents let people write comments. */
function parseLenientJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const bare = text
      .replace(
        /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
        (_, kept: string | undefined) => kept ?? ' ',
      )
      .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, kept: string | undefined) => kept ?? '')
    try {
      return parseJson(bare)
    } catch {
      throw error
    }
  }
}
