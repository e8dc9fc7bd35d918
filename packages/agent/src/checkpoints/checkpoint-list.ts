import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { attempt, parseJson, readSmallFileIfAny } from '@curfew/core/internal'
import type { Checkpoint, UncoveredPath, UncoveredReason } from './checkpoint.ts'

const maxFileBytes = 16 * 2 ** 20
const extension = '.json'

export interface Retention {
  readonly maxCheckpoints: number
  readonly maxAgeMs: number
}

/** The checkpoints of a workspace, one file each. A file that cannot be read does not exist. */
export class CheckpointList {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'list')
  }

  /** Oldest first. */
  async numbers(): Promise<number[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names
      .filter((name) => /^[1-9]\d{0,14}\.json$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .sort((a, b) => a - b)
  }

  async read(number: number): Promise<Checkpoint | null> {
    const bytes = readSmallFileIfAny(this.#path(number), maxFileBytes)
    return attempt(() => (bytes === null ? null : checkCheckpoint(parseJson(bytes.toString()), number)), null)
  }

  async readAll(): Promise<Checkpoint[]> {
    const all = await Promise.all((await this.numbers()).map((number) => this.read(number)))
    return all.filter((checkpoint) => checkpoint !== null)
  }

  /** Adds a checkpoint with the next number. Only while the workspace is locked. */
  async add(checkpoint: Omit<Checkpoint, 'number'>): Promise<Checkpoint> {
    await mkdir(this.#folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const added = { number: ((await this.numbers()).at(-1) ?? 0) + 1, ...checkpoint }
    const path = this.#path(added.number)
    await writeFile(`${path}.new`, JSON.stringify(added), { mode: 0o600 })
    await rename(`${path}.new`, path)
    return added
  }

  /** Removes those beyond the limits. Returns how many there were. */
  async removeOld({ maxCheckpoints, maxAgeMs }: Retention, now: number): Promise<number> {
    const numbers = await this.numbers()
    const old = numbers.slice(0, Math.max(0, numbers.length - maxCheckpoints))
    for (const number of numbers.slice(old.length)) {
      const checkpoint = await this.read(number)
      if (checkpoint !== null && now - checkpoint.createdAt <= maxAgeMs) break
      old.push(number)
    }
    for (const number of old) await rm(this.#path(number), { force: true })
    return old.length
  }

  #path(number: number): string {
    return join(this.#folder, number + extension)
  }
}

const reasons: readonly UncoveredReason[] = [
  'nested-repository',
  'too-large',
  'secret',
  'special',
  'unreadable',
  'ignored',
]

/** Throws if it is not one. The file is ours, but another release may have written it. */
function checkCheckpoint(value: unknown, number: number): Checkpoint {
  const { createdAt, conversation, position, followedBy, tree, uncovered } = Object(value) as Record<
    string,
    unknown
  >
  if (
    !Number.isSafeInteger(createdAt) ||
    !Number.isSafeInteger(position) ||
    typeof conversation !== 'string' ||
    typeof tree !== 'string' ||
    !/^[0-9a-f]{40,64}$/.test(tree) ||
    !Array.isArray(followedBy) ||
    !followedBy.every((line) => typeof line === 'string') ||
    !Array.isArray(uncovered) ||
    !uncovered.every(isUncovered)
  )
    throw new Error(`${number}: not a checkpoint`)
  return {
    number,
    createdAt: createdAt as number,
    conversation,
    position: position as number,
    followedBy,
    tree,
    uncovered,
  }
}

function isUncovered(value: unknown): value is UncoveredPath {
  const { path, reason } = Object(value) as Record<string, unknown>
  return typeof path === 'string' && reasons.includes(reason as UncoveredReason)
}
