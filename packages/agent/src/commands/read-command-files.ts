import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import { readTextFile } from '../memory/read-text-file.ts'
import { FileError } from './front-matter.ts'

/** A folder whose `commands/*.md` are commands. Pass a project's folder only if the project is trusted. */
export interface CommandRoot {
  readonly folder: string
  /** In a project's folder, symbolic links are not followed. */
  readonly source: 'user' | 'project'
}

/** A problem with a file of commands. `warning`: the command exists. */
export interface CommandProblem {
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly line: number | null
  readonly message: string
}

export interface CommandFile {
  readonly file: string
  /** The folders below the root and the name without `.md`. */
  readonly segments: readonly string[]
  readonly text: string
}

const maxFiles = 500
const maxDepth = 4
export const maxFileBytes: number = 1 << 16

/** Passes the `.md` files in a folder of each root to `load`. One for which it throws a `FileError` is reported and skipped. */
export async function loadCommandFiles(
  roots: readonly CommandRoot[],
  folderName: string,
  report: (problem: CommandProblem) => void,
  load: (file: CommandFile, source: CommandRoot['source']) => void,
): Promise<void> {
  for (const { folder, source } of roots) {
    for (const file of await readCommandFiles(join(folder, folderName), source === 'user', report)) {
      try {
        load(file, source)
      } catch (error) {
        if (!(error instanceof FileError)) throw error
        report({ severity: 'error', file: file.file, line: error.line, message: error.message })
      }
    }
  }
}

/** Reads all `.md` files in a folder, sorted by name. Never rejects; a missing folder is empty. */
export async function readCommandFiles(
  folder: string,
  followLinks: boolean,
  report: (problem: CommandProblem) => void,
): Promise<CommandFile[]> {
  const files: CommandFile[] = []
  const problem = (file: string, message: string): void =>
    report({ severity: 'error', file, line: null, message })

  async function readFolder(path: string, segments: readonly string[]): Promise<void> {
    const entries = await list(path).catch((error: unknown) => {
      problem(path, `cannot be read: ${messageOf(error)}`)
      return []
    })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(path, entry.name)
      const isMarkdown = entry.name.endsWith('.md')
      if (entry.isSymbolicLink() && !followLinks) {
        if (isMarkdown) problem(file, 'is a symbolic link; expected a file')
      } else if (entry.isDirectory()) {
        if (segments.length + 1 < maxDepth) await readFolder(file, [...segments, entry.name])
        else problem(file, `is nested too deeply; expected at most ${maxDepth} levels`)
      } else if (isMarkdown) {
        if (files.length === maxFiles)
          return problem(file, `is ignored; expected at most ${maxFiles} commands`)
        try {
          const text = readText(file, followLinks)
          files.push({ file, segments: [...segments, entry.name.slice(0, -'.md'.length)], text })
        } catch (error) {
          problem(file, messageOf(error))
        }
      }
    }
  }

  const isLink = (await lstat(folder).catch(() => null))?.isSymbolicLink() ?? false
  if (isLink && !followLinks) problem(folder, 'is a symbolic link; expected a folder')
  else await readFolder(folder, [])
  return files
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readText(file: string, followLink: boolean): string {
  const { text, isUtf8, isCut } = readTextFile(file, maxFileBytes, { followLink })
  if (isCut) throw new Error(`expected at most ${maxFileBytes} bytes`)
  if (text.includes('\0')) throw new Error('is not text: it contains a NUL character')
  if (!isUtf8) throw new Error('is not encoded as UTF-8')
  return text
}
