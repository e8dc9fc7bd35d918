import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Findings, Target } from '../report.ts'
import { Side } from '../side.ts'
import type { Kind } from './containments.ts'
import { endTagged, findCommands, newTag } from './tags.ts'
import type { RuntimeTasks } from './ten-commands.ts'

const rounds = 3
/** A shell, a child, a grandchild and a daemon for each of ten commands. */
const expected = 40
const watchMs = 5_000

/** How long commands survive a runtime that is killed with SIGKILL. */
export async function measureKilledRuntime(kinds: readonly Kind[]): Promise<Findings> {
  const targets: Target[] = []
  for (const kind of kinds) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await killOne(kind))
    targets.push({
      name: `after SIGKILL to the runtime, until all commands are gone, ${kind}`,
      figure: Math.max(...times),
      unit: 'ms',
      atMost: 500,
    })
  }
  return { targets, information: [] }
}

async function killOne(kind: Kind): Promise<number> {
  const tag = newTag()
  // A killed process leaves temporary files behind.
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  const side = await Side.start<RuntimeTasks>(new URL('./ten-commands.ts', import.meta.url), { home })
  try {
    await side.ask('start', kind, tag)
    // Lets the last processes finish their exec.
    await delay(300)
    const running = findCommands(tag).length
    if (running !== expected) throw new Error(`expected ${expected} running processes, got ${running}`)
    const start = performance.now()
    side.stop()
    while (findCommands(tag).length > 0) {
      if (performance.now() - start > watchMs) return Number.POSITIVE_INFINITY
      await delay(2)
    }
    return performance.now() - start
  } finally {
    side.stop()
    endTagged(tag)
    await rm(home, { recursive: true, force: true })
  }
}
