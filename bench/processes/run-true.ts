import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runProcess } from '@curfew/core/internal'
import { serve } from '../side.ts'
import { containmentOption, type Kind } from './containments.ts'

export interface TrueTasks {
  /** The milliseconds of each run of `true`. The runners take turns, with a pause before each run. */
  takeTurns(runners: readonly TrueRunner[], repeat: number, pauseMs: number): Promise<number[][]>
}

export type TrueRunner = keyof typeof runners

const warmUp = 20

const runners = {
  bare: async () => {
    const child = spawn('true', [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    await once(child, 'close')
  },
  cgroup: () => withCurfew('cgroup'),
  markers: () => withCurfew('markers'),
  namespace: () => withCurfew('namespace'),
  execFile: () => promisify(execFile)('true'),
  // Loaded only where it runs, because the cost of a spawn depends on the size of the process.
  execa: async () => {
    const { execa } = await import('execa')
    await execa('true', [], { stdin: 'ignore' })
  },
}

serve<TrueTasks>({
  async takeTurns(names, repeat, pauseMs) {
    const times = names.map((): number[] => [])
    for (let round = -warmUp; round < repeat; round++) {
      for (const [index, name] of names.entries()) {
        if (pauseMs > 0 && round >= 0) await delay(pauseMs)
        const start = performance.now()
        await runners[name]()
        if (round >= 0) times[index]!.push(performance.now() - start)
      }
    }
    return times
  },
})

async function withCurfew(kind: Kind): Promise<void> {
  const result = await runProcess({ argv: ['true'], containment: containmentOption[kind] })
  if (result.exitCode !== 0 || result.containment !== kind)
    throw new Error(`${result.containment}: ${result.outcome}`)
}
