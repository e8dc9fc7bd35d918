import { isJsonObject } from '@curfew/core/internal'
import type { Choices } from './agent-choices.ts'
import { readDocument } from './read-source.ts'
import { type Source, valueAt } from './source.ts'

/** An agent's file with its servers. */
export interface AgentFile {
  readonly source: Source
  readonly document: unknown
  /** By name, unchecked. */
  readonly servers: Readonly<Record<string, unknown>>
  /** User-level servers that are disabled in this project; they are not among the servers. */
  readonly disabledHere: readonly string[]
  readonly choices: Choices
}

/** Far more than anyone has. */
const maxServers = 1_000

/** Reads the servers of all files that exist and have some. A file that cannot be read is reported, and the rest still read. */
export async function readServers(
  sources: readonly Source[],
  report: (source: Source, problem: string) => void,
): Promise<readonly AgentFile[]> {
  const files: AgentFile[] = []
  for (const source of sources) {
    const read = await readDocument(source.file)
    if (read.kind === 'problem') report(source, read.problem)
    if (read.kind !== 'document') continue
    const { document } = read
    const servers = valueAt(document, source.pathIn(document)) ?? {}
    if (!isJsonObject(servers)) {
      report(source, `${source.placeIn(document)}: expected an object with servers`)
      continue
    }
    const size = Object.keys(servers).length
    if (size > maxServers) {
      report(source, `${source.placeIn(document)}: expected at most ${maxServers} servers, got ${size}`)
      continue
    }
    const path = source.pathIn(document).join('.')
    for (const key of read.duplicateKeys) {
      if (!`${key.path}.`.startsWith(`${path}.`)) continue
      report(source, `line ${key.line}: duplicate key ${key.path}; only the last one is used`)
    }
    const disabledHere = source.disabledHere(document).filter((name) => !Object.hasOwn(servers, name))
    if (size + disabledHere.length === 0) continue
    files.push({ source, document, servers, disabledHere, choices: await source.choices(document) })
  }
  return files
}
