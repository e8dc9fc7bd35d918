import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson, parseJson, readSmallFileIfAny, replaceFile } from '@curfew/core/internal'
import type { ServerConfig } from '@curfew/mcp/config'

/** Afterwards the server is started again. */
const rememberMs = 600_000
const maxBytes = 1 << 20

/**
 * Remembers new servers that did not respond in time, so that listing tools does not wait for them every time. A server with a changed
 * configuration counts as a different one.
 */
export class UnresponsiveServers {
  readonly #file: string
  readonly #since: Map<string, number>

  private constructor(file: string, since: Map<string, number>) {
    this.#file = file
    this.#since = since
  }

  /** Never rejects: an unreadable file counts as empty. */
  static async open(folder: string, now: number = Date.now()): Promise<UnresponsiveServers> {
    const file = join(folder, 'unresponsive-servers.json')
    const text = readSmallFileIfAny(file, maxBytes)?.toString() ?? '{}'
    const recent = entriesOf(text).flatMap(([key, at]): [string, number][] =>
      isRecent(at, now) ? [[key, at]] : [],
    )
    return new UnresponsiveServers(file, new Map(recent))
  }

  has(config: ServerConfig): boolean {
    return this.#since.has(keyOf(config))
  }

  /** Never rejects: if the file cannot be written, the servers are just not remembered. */
  async add(configs: readonly ServerConfig[], now: number = Date.now()): Promise<void> {
    if (configs.length === 0) return
    for (const config of configs) this.#since.set(keyOf(config), now)
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      await replaceFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#since), null, 2)}\n`)
    } catch {
      // Not remembered.
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
