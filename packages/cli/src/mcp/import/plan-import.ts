import { readJsonFile } from '@curfew/extensions/internal'
import { shortPath } from '../../short-path.ts'
import { type StarterRoot, starterRoot } from '../../starter-root.ts'
import { oneLine } from '../../terminal.ts'
import { fileIn, type ImportResult, importServer } from './import-server.ts'
import { isRecord } from './is-record.ts'
import { readDocument } from './read-source.ts'
import { type Source, valueAt } from './source.ts'

/** An agent's file with the planned result for each of its servers. */
export interface PlannedFile {
  readonly source: Source
  readonly root: StarterRoot
  readonly results: readonly ImportResult[]
  /** User-level servers of which only `disabled` is imported, because they are disabled in this project. */
  readonly disabledHere: readonly string[]
  /** Names of the secrets that keys were stored as. */
  readonly stored: readonly string[]
  /** Hints to print. */
  readonly notes: readonly string[]
}

/** Plans the import of all files before anything is written. Reports files that cannot be read on standard error. */
export async function planImport(
  sources: readonly Source[],
  options: { readonly force: boolean; readonly rename: boolean },
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = []
  const known = new Map<string, Record<string, unknown>>()
  for (const source of sources) {
    const read = await readDocument(source.file)
    const problem = (why: string): void =>
      void process.stderr.write(`warning: ${titleOf(source)}: ${oneLine(why)}\n`)
    if (read.kind === 'problem') problem(read.problem)
    if (read.kind !== 'document') continue
    const servers = valueAt(read.document, source.pathIn(read.document)) ?? {}
    if (!isRecord(servers)) {
      problem('its servers are not an object')
      continue
    }
    const disabledHere = source.disabledHere(read.document).filter((name) => !Object.hasOwn(servers, name))
    const all = { ...servers, ...Object.fromEntries(disabledHere.map((name) => [name, { disabled: true }])) }
    if (Object.keys(all).length === 0) continue
    const root = starterRoot(source.scope === 'user')
    const file = fileIn(root.path)
    const existing = known.get(file) ?? { ...(await serversIn(file)) }
    known.set(file, existing)
    const choices = await source.choices(read.document)
    const results = Object.entries(all).map(([name, server]) => {
      const one = importServer(name, server, source, {
        file,
        known: existing,
        choice: choices(name),
        isTrusted: root.exists && root.usable,
        ...options,
      })
      if (one.kind === 'imported') existing[one.name] = one.entry
      return one
    })
    const notes =
      choices('curfew') === 'off'
        ? [`warning: the settings of ${source.agent} exclude a server named curfew; allow it there as well`]
        : []
    files.push({ source, root, results, disabledHere, stored: [], notes })
  }
  return files
}

export function titleOf({ agent, file, scope, isShared }: Source): string {
  const here = scope === 'project' && !isShared ? ', for this project' : ''
  return [agent, shortPath(file)].filter(Boolean).join(', ') + here
}

/** The servers of an `mcp.json`, unchecked. */
export async function serversIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const read = await readJsonFile(file)
  const servers = read.kind === 'value' ? valueAt(read.value, ['mcpServers']) : null
  return isRecord(servers) ? servers : {}
}
