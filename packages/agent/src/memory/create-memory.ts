import { statSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf, replaceFile, withLock } from '@curfew/core/internal'
import { addFact } from './add-fact.ts'
import {
  checkedPath,
  type MemoryFile,
  type MemoryFolders,
  maxMemoryFileBytes,
  memoryFileName,
  memoryPaths,
  readMemoryFiles,
} from './memory-files.ts'
import { memoryPrompt } from './memory-prompt.ts'
import { readTextFile } from './read-text-file.ts'

export interface MemoryOptions extends MemoryFolders {
  /** Called each time the files have been read, with what was ignored or cut. */
  readonly onRefresh?: ((notices: readonly string[]) => void) | undefined
}

/** The AGENTS.md files of the user and of the project. */
export interface Memory {
  /** For the system prompt. Reads the files again only if they have changed. */
  prompt(): string
  files(): readonly MemoryFile[]
  notices(): readonly string[]
  /** Reads the files again. */
  refresh(): void
  /** The file that a fact is saved to. */
  pathOf(scope: MemoryScope): string
  /** Adds a fact, then refreshes once. Resolves to false, without a refresh, if the file contains it already. */
  save(fact: string, scope: MemoryScope, signal: AbortSignal): Promise<boolean>
}

export type MemoryScope = 'user' | 'project'

const lockWaitMs = 10_000
/** A larger file is not rewritten. */
const maxRewrittenBytes = 1 << 20

export function createMemory({ onRefresh, ...folders }: MemoryOptions): Memory {
  const { userFolder, workspace } = folders
  const paths = memoryPaths(folders)
  let loaded: ReturnType<typeof readMemoryFiles> = { files: [], notices: [] }
  let prompt = ''
  let signature = ''

  const refresh = (): void => {
    // Before reading, so that a change during it is noticed later.
    signature = signatureOf(paths)
    loaded = readMemoryFiles(paths, workspace)
    prompt = memoryPrompt(loaded.files)
    onRefresh?.(loaded.notices)
  }

  const pathOf = (scope: MemoryScope): string =>
    join(scope === 'user' ? userFolder : workspace.root, memoryFileName)

  refresh()
  return {
    prompt() {
      // What a save has just refreshed is not read again.
      if (signatureOf(paths) !== signature) refresh()
      return prompt
    },
    files: () => loaded.files,
    notices: () => loaded.notices,
    refresh,
    pathOf,
    async save(fact, scope, signal) {
      await mkdir(userFolder, { recursive: true, mode: 0o700 })
      // One lock for all files: it is not a file in the project.
      const isSaved = await withLock(
        pathOf('user'),
        async () => {
          const path = pathOf(scope)
          const isOwn = scope === 'user'
          const target = isOwn ? await realpath(path).catch(() => path) : checkedPath(path, workspace)
          return await append(target, fact, isOwn ? 0o600 : 0o644)
        },
        { waitMs: lockWaitMs, signal },
      )
      if (!isSaved) return false
      refresh()
      return true
    },
  }
}

/** Which files exist, and when they were changed. */
function signatureOf(paths: readonly { readonly path: string }[]): string {
  return paths.map(({ path }) => statOf(path)).join()
}

function statOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

/** Returns false if the file contains the fact already. */
async function append(path: string, fact: string, mode: number): Promise<boolean> {
  const changed = addFact(readWhole(path), fact)
  if (changed === null) return false
  if (Buffer.byteLength(changed) > maxMemoryFileBytes)
    throw failed(
      `${path}: expected at most ${maxMemoryFileBytes} bytes, because only those are used; remove what is no longer needed`,
    )
  try {
    // Permissions are kept.
    const known = statSync(path, { throwIfNoEntry: false })?.mode
    await replaceFile(path, changed, known === undefined ? mode : known & 0o777)
  } catch (error) {
    throw failed(`${path} cannot be written: ${messageOf(error)}`)
  }
  return true
}

/** The text as it is, because everything else in the file is kept. */
function readWhole(path: string): string {
  try {
    const { text, isUtf8, isCut } = readTextFile(path, maxRewrittenBytes, { followLink: false })
    if (isCut) throw new Error(`it is larger than ${maxRewrittenBytes} bytes`)
    if (!isUtf8) throw new Error('it is not encoded as UTF-8; change it in an editor')
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw failed(`${path} cannot be changed: ${messageOf(error)}`)
  }
}

function failed(message: string): CurfewError {
  return new CurfewError('TOOL_FAILED', message, { hadNoEffect: true, fault: 'none' })
}
