import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, hasEnded, processIdentity } from '@curfew/core/internal'

interface KnownFiles {
  /** The folders of the workspace. */
  readonly folders: readonly string[]
  /** What existed before the command. */
  readonly known: readonly string[]
  readonly links: readonly (readonly [path: string, target: string])[]
}

let count = 0

/** A file that exists until the workspace has been checked after a command, so that the check is completed later if Curfew is killed. */
export class CheckRecord {
  readonly path: string
  readonly #size: number

  constructor(stateFolder: string, files: KnownFiles) {
    this.path = join(folderIn(stateFolder), `${processIdentity}.${++count}.json`)
    mkdirSync(folderIn(stateFolder), { recursive: true, mode: 0o700 })
    writeFileSync(this.path, JSON.stringify(files), { mode: 0o600 })
    this.#size = statSync(this.path).size
  }

  /** Just before the command starts, the sandbox appends a line break. */
  get isStarted(): boolean {
    return statSync(this.path).size > this.#size
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }
}

/** The checks of these folders that are missing because Curfew was killed. Its commands ended with it. */
export function missingChecks(
  stateFolder: string,
  folders: readonly string[],
): { readonly paths: readonly string[]; readonly files: readonly KnownFiles[] } {
  const paths: string[] = []
  const files: KnownFiles[] = []
  for (const name of attempt(() => readdirSync(folderIn(stateFolder)), [])) {
    if (hasEnded(name.split('.')[0]!) !== true) continue
    const path = join(folderIn(stateFolder), name)
    const read = attempt(() => JSON.parse(readFileSync(path, 'utf8')) as KnownFiles, null)
    if (read !== null && !read.folders.every((folder) => folders.includes(folder))) continue
    paths.push(path)
    if (read !== null) files.push(read)
  }
  return { paths, files }
}

function folderIn(stateFolder: string): string {
  return join(stateFolder, 'checks')
}
