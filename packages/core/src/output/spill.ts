import { constants } from 'node:fs'
import { type FileHandle, mkdir, mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Small enough that no other call's deadline is late because of it. */
const sliceLength = 1 << 20
const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

/**
 * The directory that takes what did not fit into a result. Made when it is first needed, readable
 * by its owner alone. Its files stay: the model was told their names.
 */
export class SpillDirectory {
  readonly #configured: string | undefined
  #ready: Promise<string> | undefined
  #files = 0

  constructor(directory?: string) {
    this.#configured = directory
  }

  /** Writes the whole in slices, giving way to everything else between them. */
  async write(name: string, whole: string | Uint8Array, signal: AbortSignal): Promise<string> {
    const { file, path } = await this.#open(`${++this.#files}-${fileName(name)}`)
    try {
      for (let at = 0; at < whole.length && !signal.aborted; at += sliceLength) {
        await file.appendFile(
          typeof whole === 'string'
            ? whole.slice(at, at + sliceLength)
            : whole.subarray(at, at + sliceLength),
        )
      }
    } finally {
      await file.close()
    }
    return path
  }

  async #open(name: string): Promise<{ file: FileHandle; path: string }> {
    this.#ready ??= this.#make()
    const path = join(await this.#ready, name)
    try {
      return { file: await open(path, flags, 0o600), path }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Somebody cleaned up; a new directory will do.
      this.#ready = this.#make()
      const again = join(await this.#ready, name)
      return { file: await open(again, flags, 0o600), path: again }
    }
  }

  async #make(): Promise<string> {
    const parent = this.#configured ?? tmpdir()
    if (this.#configured !== undefined) await mkdir(parent, { recursive: true, mode: 0o700 })
    return await mkdtemp(join(parent, 'curfew-'))
  }
}

function fileName(toolName: string): string {
  return `${toolName.replace(/[^A-Za-z0-9_.-]/g, '_')}.txt`
}
