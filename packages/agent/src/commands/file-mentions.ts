import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CallResult } from '@curfew/core'
import { attempt } from '@curfew/core/internal'
import type { UserPart } from '../history/history-item.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CommandAgent } from './command-host.ts'
import type { MentionResolver } from './resolve-mentions.ts'
import { toUserParts } from './to-user-parts.ts'

export interface FileMentionOptions {
  readonly agent: Pick<CommandAgent, 'runAsPerson'>
  readonly workspace: Workspace
  /** Where relative paths start; those that do not exist there start at the root of the workspace. */
  readonly folder: string
}

export interface FileResolvers {
  readonly path: MentionResolver<'path'>
  readonly glob: MentionResolver<'glob'>
}

/** Of one `@glob`. */
const maxFiles = 20
const maxCharacters = 200_000
/** How many names of files that were not read are listed. */
const maxNames = 50

/**
 * Read `@path`, `@path:10-20` and `@glob` with the tools `read_file`, `list_directory` and `find_files`, through the scheduler: their limits
 * apply, and what rules deny is not read.
 */
export function fileResolvers(options: FileMentionOptions): FileResolvers {
  const path: FileResolvers['path'] = async ({ value }, signal) => {
    const target = findTarget(value, options)
    return target === null ? null : partsOf(await readTarget(target, options, signal))
  }
  return {
    path,
    async glob(mention, signal) {
      // Such as app/[id]/page.tsx.
      const exact = await path({ ...mention, type: 'path' }, signal)
      return exact ?? (await readGlob(mention.value, options, signal))
    },
  }
}

interface MentionTarget {
  readonly path: string
  readonly isFolder: boolean
  readonly range: { readonly first_line: number; readonly line_count: number } | null
}

function findTarget(value: string, options: FileMentionOptions): MentionTarget | null {
  const exact = findPath(value, options)
  if (exact !== null) return { ...exact, range: null }
  const [, path, first, last = first] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(value) ?? []
  const found = path === undefined ? null : findPath(path, options)
  const lines = Number(last) - Number(first) + 1
  if (found === null || found.isFolder || Number(first) < 1 || lines < 1) return null
  return { ...found, range: { first_line: Number(first), line_count: lines } }
}

function findPath(
  value: string,
  { workspace, folder }: FileMentionOptions,
): { path: string; isFolder: boolean } | null {
  for (const path of [resolve(folder, value), resolve(workspace.root, value)]) {
    const found = attempt(() => statSync(path, { throwIfNoEntry: false }), undefined)
    if (found !== undefined) return { path, isFolder: found.isDirectory() }
  }
  return null
}

async function readTarget(
  { path, isFolder, range }: MentionTarget,
  { agent }: FileMentionOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  const call = isFolder
    ? { name: 'list_directory', params: { path } }
    : { name: 'read_file', params: { path, ...range } }
  return await agent.runAsPerson(call, { signal })
}

function partsOf(result: CallResult): readonly UserPart[] {
  if (result.status !== 'success') throw new Error(result.message)
  return result.parts === undefined ? [{ type: 'text', text: result.content }] : toUserParts(result.parts)
}

/** `null` if no file matches. */
async function readGlob(
  pattern: string,
  options: FileMentionOptions,
  signal: AbortSignal,
): Promise<readonly UserPart[] | null> {
  const { agent, workspace, folder } = options
  const path = workspace.locate(folder).area === 'inside' ? folder : workspace.root
  const call = { name: 'find_files', params: { patterns: [pattern], path, max_results: maxFiles + maxNames } }
  const found = await agent.runAsPerson(call, { signal })
  if (found.status !== 'success') throw new Error(found.message)
  const { files, fileCount } = found.value as { files: readonly string[]; fileCount: number }
  if (fileCount === 0) return null
  const parts: UserPart[] = []
  let characters = 0
  let read = 0
  for (const file of files.slice(0, maxFiles)) {
    if (characters >= maxCharacters) break
    const content = await readOne(file, options, signal)
    parts.push({ type: 'text', text: `${file}:` }, ...content)
    characters += content.reduce((sum, part) => sum + lengthOf(part), 0)
    read++
  }
  if (read < fileCount) parts.push({ type: 'text', text: leftOut(files.slice(read), fileCount - read) })
  return parts
}

/** A file that cannot be read must not keep the others from being read. */
async function readOne(
  file: string,
  options: FileMentionOptions,
  signal: AbortSignal,
): Promise<readonly UserPart[]> {
  const path = resolve(options.workspace.root, file)
  const result = await readTarget({ path, isFolder: false, range: null }, options, signal)
  signal.throwIfAborted()
  if (result.status === 'success') return partsOf(result)
  return [{ type: 'text', text: `[It could not be read: ${result.message}]` }]
}

function lengthOf(part: UserPart): number {
  return part.type === 'text' ? part.text.length : part.data.length
}

function leftOut(names: readonly string[], count: number): string {
  const more = count > names.length ? `\n... and ${count - names.length} more` : ''
  return `[These ${count} files match as well, but were left out; read them with read_file if you need them:\n${names.join('\n')}${more}]`
}
