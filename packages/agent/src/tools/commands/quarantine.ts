import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { attempt, messageOf } from '@curfew/core/internal'
import { pinFolder } from '../files/pin-folder.ts'

/** Moves a file or folder away, next to a file that says where it was. Returns where it is. */
export async function quarantine(path: string, folder: string): Promise<string> {
  const id = `${new Date().toISOString().slice(0, 10)}-${randomBytes(6).toString('hex')}`
  // First by another name at the same place, which needs neither space nor the same disk.
  const renamed = join(dirname(path), `${basename(path).slice(0, 50)}.quarantine-${id}`)
  const target = join(folder, id, basename(path))
  const origin = join(folder, id, 'origin.json')
  let current = path
  try {
    await move(path, renamed)
    current = renamed
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    writeFileSync(origin, JSON.stringify({ path }), { mode: 0o600 })
    await move(renamed, target)
    return target
  } catch (error) {
    attempt(() => rmSync(origin, { force: true }), undefined)
    attempt(() => rmdirSync(dirname(target)), undefined)
    await closeFolder(current)
    if (current === path) throw error
    return renamed
  }
}

/** Takes the permissions of a folder away, so that git does not use it as a repository. */
async function closeFolder(path: string): Promise<void> {
  const around = await pinFolder(dirname(path))
  const folder = await around.folder(basename(path)).catch(() => null)
  try {
    if (folder !== null) chmodSync(folder.entry(''), 0)
  } finally {
    await Promise.all([around.close(), folder?.close()])
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
  const folder = await source.folder(basename(from)).catch(() => null)
  try {
    // A command may have removed the permissions that moving requires.
    for (const one of [source, folder])
      if (one !== null) chmodSync(one.entry(''), statSync(one.entry('')).mode | 0o700)
    renameSync(source.entry(basename(from)), target.entry(basename(to)))
  } finally {
    await Promise.all([source.close(), target.close(), folder?.close()])
  }
}
