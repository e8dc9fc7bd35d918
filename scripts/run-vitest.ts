import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileResult, resultsVariable } from './count-reporter.ts'

export interface VitestRun {
  readonly results: readonly FileResult[]
  readonly exitCode: number | null
}

export interface VitestOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Kills vitest and everything in its process group. */
  readonly signal?: AbortSignal
}

const interruptions = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs vitest in a process group of its own. Files that ended before it was killed have results. */
export async function runVitest(args: readonly string[], options: VitestOptions = {}): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-results-'))
  const file = join(folder, 'results')
  writeFileSync(file, '')
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...options.env, [resultsVariable]: file },
    detached: true,
  })
  const kill = (): void => void process.kill(-child.pid!, 'SIGKILL')
  const interrupt = (): void => {
    kill()
    process.exit(130)
  }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  options.signal?.addEventListener('abort', kill)
  for (const name of interruptions) process.on(name, interrupt)
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  for (const name of interruptions) process.off(name, interrupt)
  options.signal?.removeEventListener('abort', kill)
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return { results: lines.map((line) => JSON.parse(line) as FileResult), exitCode }
}
