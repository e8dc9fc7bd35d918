import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson, messageOf, replaceFile, withLock } from '@curfew/core/internal'
import { readJsonFile } from './read-json-file.ts'

/** What a person has approved in the files of one trusted project. */
export interface ApprovedContent {
  /** The entries of `mcp.json`, by the names of the servers. */
  readonly servers: ReadonlyMap<string, Approval>
  /** The content of `config.json`; `null` if it was never approved. */
  readonly config: Approval | null
}

/** One approval; a later one of the same content is a different approval. */
export interface Approval {
  /** Of the content, so that keys in it are not stored here. */
  readonly hash: string
  /** ISO 8601, in UTC. */
  readonly approvedAt: string
}

/** Hashes to approve; what is left out keeps its approval. */
export interface ContentToApprove {
  readonly servers?: ReadonlyMap<string, string>
  readonly config?: string | null
}

export const nothingApproved: ApprovedContent = { servers: new Map(), config: null }

/** In the user's own folder, never in the repository, which could otherwise approve its own changes. */
export function trustedFilesPath(userRoot: string): string {
  return join(userRoot, 'trusted-files.json')
}

/** The hash of the content of a file or of a part of it. The order of keys and the formatting do not matter. */
export function contentHash(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}

/** What was approved in a project, by the real path of its `.curfew`. Rejects if the file is invalid; then nothing is approved. */
export async function readApprovedContent(userRoot: string, project: string): Promise<ApprovedContent> {
  return (await read(trustedFilesPath(userRoot))).get(project) ?? nothingApproved
}

/** Whether this content is approved, and was so after `before`, which may be about what has changed since. */
export function isApprovedSince(
  before: Approval | null | undefined,
  approval: Approval | null | undefined,
  hash: string,
): boolean {
  return approval?.hash === hash && !(before?.hash === hash && before.approvedAt === approval.approvedAt)
}

/** Stores approvals. Rejects if the file is invalid or cannot be written. */
export async function approveContent(
  userRoot: string,
  project: string,
  { servers = new Map(), config = null }: ContentToApprove,
): Promise<void> {
  const approve = (hash: string): Approval => ({ hash, approvedAt: new Date().toISOString() })
  await change(userRoot, (projects) => {
    const known = projects.get(project) ?? nothingApproved
    const added = [...servers].map(([name, hash]) => [name, approve(hash)] as const)
    projects.set(project, {
      servers: new Map([...known.servers, ...added]),
      config: config === null ? known.config : approve(config),
    })
  })
}

/** Forgets what was approved in a project. */
export async function forgetApprovedContent(userRoot: string, project: string): Promise<void> {
  if ((await read(trustedFilesPath(userRoot))).has(project))
    await change(userRoot, (projects) => void projects.delete(project))
}

async function change(
  userRoot: string,
  apply: (projects: Map<string, ApprovedContent>) => void,
): Promise<void> {
  const file = trustedFilesPath(userRoot)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await withLock(file, async () => {
      const projects = await read(file)
      apply(projects)
      await replaceFile(file, `${JSON.stringify(toDocument(projects), null, 2)}\n`)
    })
  } catch (error) {
    throw new Error(`what you approved cannot be stored: ${messageOf(error)}`, { cause: error })
  }
}

function toDocument(projects: ReadonlyMap<string, ApprovedContent>): object {
  const entries = [...projects].map(([path, { servers, config }]) => [
    path,
    { servers: Object.fromEntries(servers), ...(config !== null && { config }) },
  ])
  return { projects: Object.fromEntries(entries) }
}

async function read(file: string): Promise<Map<string, ApprovedContent>> {
  const found = await readJsonFile(file)
  if (found.kind === 'missing') return new Map()
  if (found.kind === 'problem') throw new Error(`${file} ${found.problem.message}; repair or delete it`)
  const { projects } = Object(found.value) as { readonly projects?: unknown }
  return new Map(entriesOf(projects).map(([path, content]) => [path, toContent(content)]))
}

/** What does not have the expected type is not approved. */
function toContent(content: unknown): ApprovedContent {
  const { servers, config } = Object(content) as Readonly<Record<string, unknown>>
  const approved = entriesOf(servers).flatMap(([name, one]) =>
    isApproval(one) ? [[name, one] as const] : [],
  )
  return { servers: new Map(approved), config: isApproval(config) ? config : null }
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function isApproval(value: unknown): value is Approval {
  const { hash, approvedAt } = Object(value) as Readonly<Record<string, unknown>>
  return typeof hash === 'string' && typeof approvedAt === 'string'
}
