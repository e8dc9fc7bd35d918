import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { startFixture } from './fixture-process.ts'
import { newStateFolder } from './journal-setup.ts'

interface FaultyDiskReport {
  readonly path: string
  readonly warnings: readonly string[]
  readonly whileBroken: readonly string[]
  /** The number of calls. */
  readonly made: number
  readonly recorded: { readonly calls: number; readonly dropped: number; readonly integrity: string } | null
  /** The distinct statuses of the results. */
  readonly results: readonly string[]
}

/** Makes calls while the disk of the journal, of a few megabytes, is full or read-only. */
export async function callOnFaultyDisk(problem: string, ...args: string[]): Promise<FaultyDiskReport> {
  const child = startFixture('faulty-disk.js', [newStateFolder(), problem, ...args], {
    under: mountNamespace(),
  })
  expect([await child.ended(), child.output()]).toEqual([0, expect.stringMatching(/^\{.*\}\n$/)])
  return JSON.parse(child.output())
}

let problem: string | null | undefined

/** Why no disk can be mounted; `null` if it can. */
export function mountProblem(): string | null {
  if (problem !== undefined) return problem
  const [command, ...args] = [...mountNamespace(), 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']
  const { status, stderr, error } = spawnSync(command!, args, { encoding: 'utf8' })
  problem = status === 0 ? null : `a small disk cannot be mounted: ${error?.message ?? stderr.trim()}`
  return problem
}

/** Other processes do not see what is mounted in it. */
function mountNamespace(): string[] {
  return process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-rm']
}
