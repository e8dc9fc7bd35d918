import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { browserFolder } from './support/browser-folder.ts'
import { sharedStateFolder } from './support/shared-state.ts'

/** The watchdogs of killed processes need time to clean up, especially on a busy machine. */
const waitMs = 30_000

const compileCache = 'node-compile-cache'
/** Folders that the processes of a test run share. */
const sharedFolders = [compileCache, browserFolder, sharedStateFolder]

/** Gives all tests a new temporary folder. Fails the run if files are left in it, or processes that were started with it. */
export default function setUp(): () => Promise<void> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-tests-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  // Hundreds of processes load the same modules.
  process.env.NODE_COMPILE_CACHE = join(folder, compileCache)
  return async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    const deadline = performance.now() + waitMs
    while (leftIn(folder).length > 0 && performance.now() < deadline) await sleep(50)
    const left = leftIn(folder)
    rmSync(folder, { recursive: true, force: true })
    if (left.length === 0) return
    process.exitCode = 1
    process.stderr.write(
      `tests left files or processes behind:\n${left.map((entry) => `  ${entry}\n`).join('')}`,
    )
  }
}

function leftIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !sharedFolders.some((shared) => name.startsWith(shared)),
  )
  return [...files.slice(0, 20), ...processesWith(folder)]
}

function processesWith(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
    if (!read(`/proc/${pid}/environ`).includes(`TMPDIR=${folder}`)) return []
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    return command === '' || /vitest/.test(command) ? [] : [`process ${pid}: ${command}`]
  })
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
