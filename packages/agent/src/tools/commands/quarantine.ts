import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import { pinFolder } from '../files/pin-folder.ts'

/** Moves a file or folder away, next to a file that says where it was. Returns where it is. */
export async function quarantine(path: string, folder: string): Promise<string> {
  const id = `${new Date().toISOString().slice(0, 10)}-${randomBytes(6).toString('hex')}`
  const target = join(folder, id, basename(path))
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, id, 'origin.json'), JSON.stringify({ path }), { mode: 0o600 })
  try {
    await move(path, target)
    return target
  } catch {
    // Such as a socket, or a folder that cannot be read, on another disk. Nothing uses it by this name.
    const renamed = `${path}.quarantine-${id}`
    await move(path, renamed)
    return renamed
  }
}

/** Moves it back. Returns why that is not possible. */
export async function putBack(moved: string, path: string): Promise<string | null> {
  try {
    await move(moved, path)
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
    // A command may have removed the permissions that moving requires.
    const around = source.entry('')
    chmodSync(around, statSync(around).mode | 0o700)
    if (lstatSync(old).isDirectory()) chmodSync(old, lstatSync(old).mode | 0o700)
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
