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

  /** The lines since the last time, also those that were written just before the file was rotated. */
  async readNext(): Promise<readonly ServerLogLine[]> {
    const rest = await this.#readRotated()
    return [...rest, ...((await this.#readNew()) ?? [])]
  }

  /** The rest of the file that was read so far, if it has another name by now. */
  async #readRotated(): Promise<readonly ServerLogLine[]> {
    const inodeOf = async (path: string): Promise<bigint | undefined> =>
      (await lstat(path, { bigint: true }).catch(() => null))?.ino
    const older = `${this.#path}.1`
    if (this.#inode === null || (await inodeOf(this.#path)) === this.#inode) return []
    if ((await inodeOf(older)) !== this.#inode) return []
    const reader = new ServerLogReader(older)
    reader.#inode = this.#inode
    reader.#offset = this.#offset
    reader.#rest = this.#rest
    const lines = await reader.#readNew()
    // There may be no new file yet.
    this.#offset = reader.#offset
    this.#rest = reader.#rest
    return lines ?? []
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
