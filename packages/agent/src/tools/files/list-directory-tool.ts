import type { Stats } from 'node:fs'
import { lstat, opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool, ToolContext } from '@curfew/core'
import { defineToolFrom, described } from '@curfew/core/internal'
import { showPath } from '../../workspace/show-path.ts'
import type { FileLocation, Workspace } from '../../workspace/workspace.ts'
import { fileError, rejected } from './file-error.ts'
import { formatSize } from './format-size.ts'
import { ignoreRulesFor } from './ignore-rules.ts'
import { missingFile } from './missing-file.ts'
import { kindOf } from './open-regular-file.ts'
import { readableLocation } from './permitted-location.ts'
import { type PinnedFolder, pinFolder } from './pin-folder.ts'

const maxShown = 1_000
/** Names that are sorted; of a larger folder, any of its entries are returned. */
const maxNames = 100_000

export function listDirectoryTool(workspace: Workspace): Tool {
  return defineToolFrom(
    {
      name: 'list_directory',
      title: 'List a folder',
      description: 'List the entries of one folder of the workspace.',
      usage: `Use it to look around. For files by name in many folders use 'find_files', for their content 'search_files'. Returns one line per entry, sorted by name: folders end with a slash, files have their size, links their target; entries that .gitignore excludes and secret files are marked. Returns at most ${maxShown} entries, and how many there are.`,
      parameters: {
        type: 'object',
        properties: {
          path: described(
            { type: 'string', default: '.' },
            "The folder, relative to the workspace's root or absolute.",
          ),
        },
        additionalProperties: false,
      } as const,
      readOnly: true,
      concurrent: true,
      idempotent: true,
      openWorld: false,
      // Without resource keys, it waits for every earlier call that may change something.
      restrict: ({ path }) => workspace.restrictRead(path),
      async execute({ path }, { signal }) {
        const location = readableLocation(workspace, path)
        try {
          return await listFolder(workspace, location, signal)
        } catch (error) {
          if (signal.aborted) throw error
          if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
            throw rejected(`${location.shownPath} is not a folder; read_file reads files`)
          throw (await missingFile(error, location)) ?? fileError(error, location.shownPath)
        }
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}

async function listFolder(
  workspace: Workspace,
  { realPath }: FileLocation,
  signal: ToolContext['signal'],
): Promise<string> {
  const folder = await pinFolder(realPath)
  try {
    const names: string[] = []
    let total = 0
    for await (const { name } of await opendir(folder.entry('.'))) {
      if (total++ % 1_000 === 0) signal.throwIfAborted()
      if (names.length < maxNames) names.push(name)
    }
    if (total === 0) return '[the folder is empty]'
    names.sort((a, b) => (a < b ? -1 : 1))
    const isIgnored = await ignoreRulesFor(workspace, realPath)
    const lines: string[] = []
    for (const name of names.slice(0, maxShown)) {
      signal.throwIfAborted()
      const stats = await lstat(folder.entry(name)).catch(() => null)
      if (stats === null) continue
      const marks = marksOf(workspace, join(realPath, name), isIgnored(name, stats.isDirectory()))
      lines.push([await describe(folder, name, stats), ...marks].join('  '))
    }
    if (total <= maxShown) return lines.join('\n')
    const order = total > maxNames ? ', not sorted' : ''
    return `${lines.join('\n')}\n\n[${lines.length} of ${total} entries${order}; use find_files to find others]`
  } finally {
    await folder.close()
  }
}

async function describe(folder: PinnedFolder, name: string, stats: Stats): Promise<string> {
  const shown = showPath(name)
  if (stats.isDirectory()) return `${shown}/`
  if (stats.isSymbolicLink())
    return `${shown} -> ${showPath(await readlink(folder.entry(name)).catch(() => '?'))}`
  return stats.isFile() ? `${shown}  ${formatSize(stats.size)}` : `${shown}  ${kindOf(stats as never)}`
}

function marksOf(workspace: Workspace, path: string, isIgnored: boolean): readonly string[] {
  const { area, secret } = workspace.locate(path)
  return [
    ...(area === 'outside' ? ['(outside of the workspace)'] : []),
    ...(secret === null ? [] : ['(secret)']),
    ...(isIgnored ? ['(ignored)'] : []),
  ]
}
