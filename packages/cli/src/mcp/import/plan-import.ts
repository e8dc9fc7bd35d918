import { isJsonObject } from '@curfew/core/internal'
import { readJsonFile } from '@curfew/extensions/internal'
import { shortPath } from '../../short-path.ts'
import { type StarterRoot, starterRoot } from '../../starter-root.ts'
import { oneLine } from '../../terminal.ts'
import { fileIn, type ImportResult, importServer } from './import-server.ts'
import { readServers } from './read-servers.ts'
import { type Source, valueAt } from './source.ts'

/** An agent's file with the planned result for each of its servers. */
export interface PlannedFile {
  readonly source: Source
  /** The parsed file. */
  readonly document: unknown
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
  const warn = (source: Source, problem: string): void =>
    void process.stderr.write(`warning: ${titleOf(source)}: ${oneLine(problem)}\n`)
  for (const { source, document, servers, disabledHere, choices } of await readServers(sources, warn)) {
    const all = { ...servers, ...Object.fromEntries(disabledHere.map((name) => [name, { disabled: true }])) }
    const root = starterRoot(source.scope === 'user')
    const file = fileIn(root.path)
    const existing = known.get(file) ?? { ...(await serversIn(file)) }
    known.set(file, existing)
    const results = Object.entries(all).map(([name, server]) => {
      const one = importServer(name, server, source, {
        file,
        known: existing,
        choice: choices(name),
        document,
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
    files.push({ source, document, root, results, disabledHere, stored: [], notes })
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
  return isJsonObject(servers) ? servers : {}
}
