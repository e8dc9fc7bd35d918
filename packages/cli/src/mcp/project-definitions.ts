import type { ConfigRoots } from '@curfew/extensions'
import { approveContent, contentHash, readApprovedContent } from '@curfew/extensions/internal'
import { type RawServerEntry, readServerFiles, type ServerFile } from '@curfew/mcp/config'
import { askGateways } from './ask-gateways.ts'
import { readGatewayStatus } from './gateway-status.ts'

/** The definition of a server in a project's `mcp.json`. */
export interface ProjectDefinition {
  readonly name: string
  readonly file: string
  readonly entry: RawServerEntry
  readonly hash: string
}

export interface UnapprovedDefinition extends ProjectDefinition {
  /** `new`: no definition of this server was ever approved; `unused`: a gateway that was started with another one does not use it. */
  readonly kind: 'new' | 'changed' | 'unused'
}

/**
 * The definitions in the project's file that differ from the ones that a person approved last, or were never approved, and those that a
 * running gateway does not use: it may have been started with another one, so that the last approval was not about this change.
 */
export async function unapprovedDefinitions(roots: ConfigRoots): Promise<UnapprovedDefinition[]> {
  const { user, project } = roots
  if (project === null || !project.trusted) return []
  const [{ servers: approved }, files, gateways] = await Promise.all([
    readApprovedContent(user, project.path),
    readServerFiles(roots),
    askGateways({ method: 'servers', read: readGatewayStatus }),
  ])
  const heldBack = gateways.flatMap(({ answer }) => answer?.heldBack ?? [])
  return definitionsIn(files).flatMap((definition): UnapprovedDefinition[] => {
    const { name, file, hash } = definition
    if (!approved.has(name)) return [{ ...definition, kind: 'new' }]
    if (approved.get(name)!.hash !== hash) return [{ ...definition, kind: 'changed' }]
    const isUnused = heldBack.some((held) => held.server === name && held.file === file)
    return isUnused ? [{ ...definition, kind: 'unused' }] : []
  })
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
