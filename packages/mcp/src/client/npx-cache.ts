import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@curfew/core'

/** npx touches the lock of an install every second. */
const lockBeatMs = 2_500
const withValue: ReadonlySet<string> = new Set(['-p', '--package', '-c', '--call', '-w', '--workspace'])

/**
 * An install of npx that was stopped half way leaves a folder in its cache that every later npx takes for the package, and a
 * lock that each waits for a minute for. Both are removed, unless somebody else is installing the same right now.
 */
export async function removeHalfInstalled(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<void> {
  const packages = packagesOf(args)
  if (packages.length === 0) return
  const folder = join(cacheFolder({ ...process.env, ...env }), '_npx', folderNameOf(packages))
  const lock = join(folder, 'concurrency.lock')
  const isComplete = existsSync(join(folder, 'node_modules', '.package-lock.json'))
  const touchedMs = await touchedAt(lock)
  if (touchedMs === null) {
    if (!isComplete) await rm(folder, { recursive: true, force: true })
    return
  }
  await new Promise<void>((resolve) => void clock.setTimer(lockBeatMs, resolve))
  if ((await touchedAt(lock)) === touchedMs) await rm(folder, { recursive: true, force: true })
}

/** What npx installs: what `--package` names, or else the first word. */
function packagesOf(args: readonly string[]): readonly string[] {
  const named: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    const [, inline] = /^--package=(.+)$/.exec(word) ?? []
    if (inline !== undefined) named.push(inline)
    else if (word === '-p' || word === '--package') named.push(...args.slice(at + 1, at + 2))
    if (withValue.has(word)) at++
    else if (!word.startsWith('-') || word === '--') {
      const first = word === '--' ? args[at + 1] : word
      return named.length > 0 || first === undefined ? named : [first]
    }
  }
  return named
}

/** As npm names it. */
function folderNameOf(packages: readonly string[]): string {
  const sorted = [...packages].sort((a, b) => a.localeCompare(b, 'en'))
  return createHash('sha512').update(sorted.join('\n')).digest('hex').slice(0, 16)
}

function cacheFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  const said = Object.entries(env).find(([name]) => name.toLowerCase() === 'npm_config_cache')?.[1]
  if (said !== undefined && said !== '') return said
  return env.LOCALAPPDATA === undefined
    ? join(env.HOME ?? homedir(), '.npm')
    : join(env.LOCALAPPDATA, 'npm-cache')
}

async function touchedAt(lock: string): Promise<number | null> {
  return (await stat(lock).catch(() => null))?.mtimeMs ?? null
}
