import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import { pinFolder } from '../files/pin-folder.ts'

/** Moves a file or folder away, next to a file that says where it was. Returns where it is, or why it could not be moved. */
export async function quarantine(
  path: string,
  folder: string,
): Promise<{ moved: string } | { problem: string }> {
  const target = join(folder, `${new Date().toISOString().slice(0, 10)}-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 })
    writeFileSync(join(target, 'origin.json'), JSON.stringify({ path }), { mode: 0o600 })
    await move(path, join(target, basename(path)))
    return { moved: join(target, basename(path)) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** Moves it back. Returns why that is not possible. */
export async function putBack(moved: string, path: string): Promise<string | null> {
  try {
    await move(moved, path)
    rmSync(dirname(moved), { recursive: true })
    return null
  } catch (error) {
    return messageOf(error)
  }
}

/** Links that are swapped into the paths meanwhile redirect nothing. */
async function move(from: string, to: string): Promise<void> {
  const [source, target] = await Promise.all([pinFolder(dirname(from)), pinFolder(dirname(to))])
  try {
    const [old, next] = [source.entry(basename(from)), target.entry(basename(to))]
    try {
      renameSync(old, next)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      cpSync(old, next, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
        errorOnExist: true,
        force: false,
      })
      rmSync(old, { recursive: true })
    }
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}
