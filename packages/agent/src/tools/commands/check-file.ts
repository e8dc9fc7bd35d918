import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, hasEnded, processIdentity } from '@curfew/core/internal'

interface KnownFiles {
  /** The folders of the workspace. */
  readonly folders: readonly string[]
  /** The files that existed before the command. */
  readonly known: readonly string[]
  readonly links: readonly (readonly [path: string, target: string])[]
}

let count = 0

/** A file that exists until the workspace has been checked after a command, so that the check is completed later if Curfew is killed. */
export class CheckFile {
  readonly path: string

  constructor(stateFolder: string, files: KnownFiles) {
    const folder = join(stateFolder, 'checks')
    this.path = join(folder, `${processIdentity}.${++count}.json`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(this.path, JSON.stringify(files), { mode: 0o600 })
  }

  /** Just before the command starts, the sandbox appends a line break. */
  get isStarted(): boolean {
    return readFileSync(this.path, 'utf8').endsWith('\n')
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }
}

/** The checks of these folders that are missing because Curfew was killed. Its commands ended with it. */
export function missingChecks(
  stateFolder: string,
  folders: readonly string[],
): readonly (KnownFiles & { readonly path: string })[] {
  const names = attempt(() => readdirSync(join(stateFolder, 'checks')), [])
  return names.flatMap((name) => {
    const path = join(stateFolder, 'checks', name)
    if (hasEnded(name.split('.')[0]!) !== true) return []
    const files = attempt(() => JSON.parse(readFileSync(path, 'utf8')) as KnownFiles, null)
    return files?.folders.every((folder) => folders.includes(folder)) ? [{ ...files, path }] : []
  })
}
