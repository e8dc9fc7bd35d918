import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@curfew/core/internal'
import { type ServerLogLine, serverLogFolder } from './server-logs.ts'

const maxReadBytes = 4 << 20
const kinds: readonly unknown[] = ['event', 'stderr', 'log']

/** Reads the log of a server, and what is appended to it. Never rejects because of the content. */
export class ServerLogReader {
  readonly #path: string
  #inode: bigint | null = null
  #offset = 0
  #rest = ''

  constructor(path: string) {
    this.#path = path
  }

  /** The newest lines; `null` if there is no log. */
  async readLast(count: number): Promise<readonly ServerLogLine[] | null> {
    const older = await new ServerLogReader(`${this.#path}.1`).#readNew()
    const newer = await this.#readNew()
    if (older === null && newer === null) return null
    return [...(older ?? []), ...(newer ?? [])].slice(-count)
  }

  /** The lines since the last time. */
  async readNext(): Promise<readonly ServerLogLine[]> {
    return (await this.#readNew()) ?? []
  }

  async #readNew(): Promise<readonly ServerLogLine[] | null> {
    const found = await lstat(this.#path, { bigint: true }).catch(() => null)
    if (!found?.isFile()) return null
    const size = Number(found.size)
    // It was replaced by a new one, or emptied.
    if (this.#inode !== found.ino || size < this.#offset) {
      this.#inode = found.ino
      this.#offset = 0
      this.#rest = ''
    }
    if (size === this.#offset) return []
    const file = await open(this.#path, 'r')
    try {
      const start = Math.max(this.#offset, size - maxReadBytes)
      const buffer = Buffer.alloc(size - start)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
      this.#offset = start + bytesRead
      const lines = (this.#rest + buffer.toString('utf8', 0, bytesRead)).split('\n')
      this.#rest = lines.pop() ?? ''
      return lines.flatMap((line) => readLine(line) ?? [])
    } finally {
      await file.close()
    }
  }
}

/** The logs of servers with this name, also of those that are no longer configured; the newest first. */
export async function findServerLogs(name: string): Promise<readonly string[]> {
  const folder = serverLogFolder()
  const files = (await readdir(folder).catch(() => [])).filter(
    (file) => file.startsWith(`${name}-`) && /^-[0-9a-f]{8}\.log$/.test(file.slice(name.length)),
  )
  const found = await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      return { path, at: (await lstat(path).catch(() => null))?.mtimeMs ?? 0 }
    }),
  )
  return found.sort((one, other) => other.at - one.at).map(({ path }) => path)
}

function readLine(line: string): ServerLogLine | null {
  try {
    const { at, gateway, kind, text } = Object(parseJson(line)) as Record<string, unknown>
    if (typeof at !== 'number' || typeof text !== 'string' || !kinds.includes(kind)) return null
    return { at, gateway: Number(gateway), kind: kind as ServerLogLine['kind'], text }
  } catch {
    return null
  }
}
