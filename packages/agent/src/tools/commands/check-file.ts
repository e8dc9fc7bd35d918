import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt, hasEnded, processIdentity } from '@curfew/core/internal'
import type { GitState } from './repository-guard.ts'

interface KnownFiles {
  /** The folders of the workspace. */
  readonly folders: readonly string[]
  /** The files that existed before the command. */
  readonly known: readonly string[]
  readonly links: readonly (readonly [path: string, target: string])[]
  /** For an approved command of git. */
  readonly git: GitState | null
}

let count = 0

/** A file that exists until the workspace has been checked after a command, so that the check is completed later if Curfew is killed. */
export class CheckFile {
  readonly path: string
  #isStarted: boolean | null = null

  constructor(path: string) {
    this.path = path
  }

  static create(stateFolder: string, files: KnownFiles): CheckFile {
    const path = newPath(stateFolder)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, JSON.stringify(files), { mode: 0o600 })
    return new CheckFile(path)
  }

  /** Just before the command starts, the sandbox appends a line break. Another process that cannot see this one may have taken the file. */
  get isStarted(): boolean {
    return this.#isStarted ?? attempt(() => readFileSync(this.path, 'utf8').endsWith('\n'), true)
  }

  remove(): void {
    this.#isStarted = this.isStarted
    rmSync(this.path, { force: true })
  }
}

/** Takes over the checks of these folders that are missing because Curfew was killed, or ran in a container that has ended. Its commands ended with it. */
export function missingChecks(
  stateFolder: string,
  folders: readonly string[],
): readonly (KnownFiles & { readonly path: string })[] {
  const names = attempt(() => readdirSync(join(stateFolder, 'checks')), [])
  return names.flatMap((name) => {
    const [identity = ''] = name.split('.')
    if (identity === processIdentity || hasEnded(identity) === false) return []
    const path = join(stateFolder, 'checks', name)
    const files = attempt(() => JSON.parse(readFileSync(path, 'utf8')) as KnownFiles, null)
    if (!files?.folders.every((folder) => folders.includes(folder))) return []
    const own = newPath(stateFolder)
    renameSync(path, own)
    return [{ ...files, path: own }]
  })
}

function newPath(stateFolder: string): string {
  return join(stateFolder, 'checks', `${processIdentity}.${++count}.json`)
}
