import { readdirSync, readFileSync } from 'node:fs'
import { containmentReport } from '@curfew/core/internal'

export const linux: boolean = process.platform === 'linux'

/** What this machine allows; the rest is skipped, with a word. */
export const allowed: ReadonlySet<string> = new Set(
  containmentReport().flatMap(({ kind, available, detail }) => {
    if (!available) process.stdout.write(`process tests with ${kind} are skipped: ${detail}\n`)
    return available ? [kind] : []
  }),
)

let count = 0

/** Every process of a test has such a text among its arguments, so that whoever is left can be found without our own code. */
export const newTag = (): string => `31536${process.pid}${++count}`

/** Those that are alive; a zombie is not. */
export function left(tag: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isLeft(pid, tag))
}

function isLeft(pid: number, tag: string): boolean {
  try {
    const alive = !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return alive && readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(tag)
  } catch {
    return false
  }
}

/** Throws when the time runs out. */
export async function until(done: () => boolean, ms = 10_000): Promise<void> {
  for (const deadline = performance.now() + ms; !done(); ) {
    if (performance.now() > deadline) throw new Error(`after ${ms} ms it still does not hold: ${done}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
