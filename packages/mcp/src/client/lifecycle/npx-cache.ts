import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Clock, wordSet } from '@curfew/core/internal'

/** npx touches the lock of an install every second; on a busy machine less often. */
const lockBeatMs = 4_000
const staleMs = 60_000
const optionsWithValue: ReadonlySet<string> = wordSet('-p --package -c --call -w --workspace')

/**
 * Cleans up after an npx that was killed while installing. It leaves an incomplete folder in its cache that every later npx uses as the
 * package, and a lock that each of them waits a minute for. Leaves the folder alone if another process is installing the same package.
 */
export async function removePartialInstall(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<void> {
  const folder = folderOf(args, env)
  if (folder === null) return
  const lock = join(folder, lockName)
  const touchedMs = await touchedAt(lock)
  if (touchedMs === null) {
    if (!isComplete(folder)) await rm(folder, { recursive: true, force: true })
    return
  }
  await new Promise<void>((resolve) => void clock.setTimer(lockBeatMs, resolve))
  if ((await touchedAt(lock)) === touchedMs) await rm(folder, { recursive: true, force: true })
}

/** The same before a start, for what an earlier process left behind, such as a killed Curfew. */
export async function removeStaleInstall(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = folderOf(args, env)
  if (folder === null) return
  const lockedMs = await touchedAt(join(folder, lockName))
  const touchedMs = lockedMs ?? (isComplete(folder) ? null : await touchedAt(join(folder, 'node_modules')))
  const quietMs = lockedMs === null ? staleMs : 5 * lockBeatMs
  if (touchedMs !== null && Date.now() - touchedMs > quietMs)
    await rm(folder, { recursive: true, force: true })
}

const lockName = 'concurrency.lock'

/** npm writes this file last. */
function isComplete(folder: string): boolean {
  return existsSync(join(folder, 'node_modules', '.package-lock.json'))
}

function folderOf(args: readonly string[], env: Readonly<Record<string, string>>): string | null {
  const packages = packagesOf(args)
  if (packages.length === 0) return null
  return join(cacheFolder({ ...process.env, ...env }), '_npx', folderNameOf(packages))
}

/** The packages that npx installs: those of `--package`, otherwise the first positional argument. */
function packagesOf(args: readonly string[]): readonly string[] {
  const named: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    const [, inline] = /^--package=(.+)$/.exec(arg) ?? []
    if (inline !== undefined) named.push(inline)
    else if (arg === '-p' || arg === '--package') named.push(...args.slice(at + 1, at + 2))
    if (optionsWithValue.has(arg)) at++
    else if (!arg.startsWith('-') || arg === '--') {
      const first = arg === '--' ? args[at + 1] : arg
      return named.length > 0 || first === undefined ? named : [first]
    }
  }
  return named
}

/** Computes the folder name as npm does. */
function folderNameOf(packages: readonly string[]): string {
  const sorted = [...packages].sort((a, b) => a.localeCompare(b, 'en'))
  return createHash('sha512').update(sorted.join('\n')).digest('hex').slice(0, 16)
}

function cacheFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  const configured = Object.entries(env).find(([name]) => name.toLowerCase() === 'npm_config_cache')?.[1]
  if (configured !== undefined && configured !== '') return configured
  return env.LOCALAPPDATA === undefined
    ? join(env.HOME ?? homedir(), '.npm')
    : join(env.LOCALAPPDATA, 'npm-cache')
}

async function touchedAt(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? null
}
