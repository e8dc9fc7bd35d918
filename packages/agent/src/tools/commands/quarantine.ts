import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { attempt, messageOf } from '@curfew/core/internal'
import { O_PATH, pinFolder } from '../files/pin-folder.ts'

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
    await close(current, current !== path).catch(() => {})
    if (current === path) throw error
    return renamed
  }
}

/** Takes the permissions away, so that git does not use a folder as a repository; of a file only if it is still in its place. */
async function close(path: string, isRenamed: boolean): Promise<void> {
  const around = await pinFolder(dirname(path))
  try {
    const entry = openSync(around.entry(basename(path)), O_PATH | constants.O_NOFOLLOW)
    try {
      if (!isRenamed || fstatSync(entry).isDirectory()) chmodSync(`/proc/self/fd/${entry}`, 0)
    } finally {
      closeSync(entry)
    }
  } finally {
    await around.close()
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
