import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson, parseJson } from '@curfew/core/internal'
import { replaceFile } from '@curfew/extensions/internal'
import type { ServerConfig } from '@curfew/mcp/config'

/** Afterwards the server is tried again. */
const rememberMs = 600_000

/**
 * Servers that were never seen and did not answer in time. A list of tools does not wait for them again and again; a server
 * whose configuration has changed is another one.
 */
export class Unanswered {
  readonly #file: string
  readonly #since: Map<string, number>

  private constructor(file: string, since: Map<string, number>) {
    this.#file = file
    this.#since = since
  }

  /** Never rejects: what cannot be read was never written. */
  static async open(folder: string, now: number = Date.now()): Promise<Unanswered> {
    const file = join(folder, 'unanswered.json')
    const text = await readFile(file, 'utf8').catch(() => '{}')
    const recent = entriesOf(text).flatMap(([key, at]): [string, number][] =>
      isRecent(at, now) ? [[key, at]] : [],
    )
    return new Unanswered(file, new Map(recent))
  }

  has(config: ServerConfig): boolean {
    return this.#since.has(keyOf(config))
  }

  /** Never rejects: if it cannot be written, it is only waited for again. */
  async add(configs: readonly ServerConfig[], now: number = Date.now()): Promise<void> {
    if (configs.length === 0) return
    for (const config of configs) this.#since.set(keyOf(config), now)
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      await replaceFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#since), null, 2)}\n`)
    } catch {
      // Not remembered, see above.
    }
  }
}

function entriesOf(text: string): [string, unknown][] {
  try {
    return Object.entries(Object(parseJson(text)))
  } catch {
    return []
  }
}

function isRecent(at: unknown, now: number): at is number {
  return typeof at === 'number' && at <= now && now - at < rememberMs
}

function keyOf({ name, root, target }: ServerConfig): string {
  return createHash('sha256')
    .update(canonicalJson([name, root, target]))
    .digest('hex')
    .slice(0, 32)
}
