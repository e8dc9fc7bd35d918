import type { ConfigRoots } from '@curfew/extensions'
import { approveContent, contentHash, readApprovedContent } from '@curfew/extensions/internal'
import { type RawServerEntry, readServerFiles, type ServerFile } from '@curfew/mcp/config'

/** The definition of a server in a project's `mcp.json`. */
export interface ProjectDefinition {
  readonly name: string
  readonly file: string
  readonly entry: RawServerEntry
  readonly hash: string
}

export interface UnapprovedDefinition extends ProjectDefinition {
  /** No definition of this server was ever approved. */
  readonly isNew: boolean
}

/** The definitions in the project's file that differ from the ones that a person approved last, or were never approved. */
export async function unapprovedDefinitions(roots: ConfigRoots): Promise<UnapprovedDefinition[]> {
  const { user, project } = roots
  if (project === null || !project.trusted) return []
  const [{ servers: approved }, files] = await Promise.all([
    readApprovedContent(user, project.path),
    readServerFiles(roots),
  ])
  return definitionsIn(files)
    .filter(({ name, hash }) => approved.get(name)?.hash !== hash)
    .map((definition) => ({ ...definition, isNew: !approved.has(definition.name) }))
}

/** The usable definitions in the file of a project. */
export function definitionsIn(files: readonly ServerFile[]): ProjectDefinition[] {
  return files
    .filter(({ ofProject }) => ofProject)
    .flatMap(({ file, entries }) =>
      [...entries].flatMap(([name, { server, raw, hash }]) =>
        typeof server === 'object' && server !== null
          ? [{ name, file, entry: raw as RawServerEntry, hash }]
          : [],
      ),
    )
}

/** Approves an entry that a person writes to the file of a trusted project. */
export async function approveEntry(
  { user, project }: ConfigRoots,
  name: string,
  entry: RawServerEntry,
): Promise<void> {
  if (project?.trusted)
    await approveContent(user, project.path, { servers: new Map([[name, contentHash(entry)]]) })
}

/** Approves exactly these definitions: one that has changed meanwhile stays unapproved. Running gateways apply them. */
export async function approveDefinitions(
  { user, project }: ConfigRoots,
  definitions: readonly ProjectDefinition[],
): Promise<void> {
  if (project === null || definitions.length === 0) return
  const servers = new Map(definitions.map(({ name, hash }) => [name, hash]))
  await approveContent(user, project.path, { servers })
}
