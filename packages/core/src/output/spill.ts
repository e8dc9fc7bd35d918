import { constants } from 'node:fs'
import { mkdir, mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Small enough that no other call's deadline is late because of it. */
const sliceLength = 1 << 20

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
    this.#ready ??= this.#make()
    const path = join(await this.#ready, `${++this.#files}-${fileName(name)}`)
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600)
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

  async #make(): Promise<string> {
    const parent = this.#configured ?? tmpdir()
    if (this.#configured !== undefined) await mkdir(parent, { recursive: true, mode: 0o700 })
    return await mkdtemp(join(parent, 'curfew-'))
  }
}

function fileName(toolName: string): string {
  return `${toolName.replace(/[^A-Za-z0-9_.-]/g, '_')}.txt`
}
