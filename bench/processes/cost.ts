import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Figure, Findings, Target } from '../report.ts'
import { Side } from '../side.ts'
import { median } from '../statistics.ts'
import type { Kind } from './containments.ts'
import type { TrueRunner, TrueTasks } from './run-true.ts'
import { endTagged, newTag } from './tags.ts'

const runs = 500
const others = 500
const runsAmongOthers = 200
const pauseMs = 300
const pausedRuns = 30
const maxAddedMs = 2

/** The time that running `true` adds to a bare spawn. */
export async function measureCost(kinds: readonly Kind[]): Promise<Findings> {
  const alone = await compareEach(kinds, runs)
  const peers = await compareEach(['execFile', 'execa'], runs)
  const amongOthers = await withOthers(() => compareEach(kinds, runsAmongOthers))
  // All in one process, because the pauses are long.
  const paused = await compare(kinds, pausedRuns, pauseMs)
  return {
    targets: [
      ...toTargets('`true`, added to a bare spawn', alone.filter(isDefault)),
      ...toTargets(`the same among ${others} other processes`, amongOthers.filter(isDefault)),
    ],
    information: [
      ...alone.filter(isOnRequest).map(({ runner, added }) => toFigure(`\`true\`, ${runner}`, added)),
      ...amongOthers
        .filter(isOnRequest)
        .map(({ runner, added }) => toFigure(`among other processes, ${runner}`, added)),
      ...peers.map(({ runner, added }) => toFigure(`\`true\`, added to a bare spawn, ${runner}`, added)),
      ...[...alone, ...peers].map(({ runner, bare }) =>
        toFigure(`a bare spawn, alternating with ${runner}`, bare),
      ),
      ...paused.slice(0, 1).map(({ bare }) => toFigure(`a bare spawn after a pause of ${pauseMs} ms`, bare)),
      ...paused.map(({ runner, added }) => toFigure(`added to that, ${runner}`, added)),
    ],
  }
}

/** A namespace needs another process, `unshare`, and is used only on request. */
const isOnRequest = ({ runner }: Comparison): boolean => runner === 'namespace'
const isDefault = (comparison: Comparison): boolean => !isOnRequest(comparison)

/** Medians, in milliseconds. */
interface Comparison {
  readonly runner: TrueRunner
  readonly bare: number
  readonly added: number
}

/** Each in its own process, alternating with bare spawns there, because the cost of a spawn depends on the process. */
async function compareEach(runners: readonly TrueRunner[], repeat: number): Promise<Comparison[]> {
  const comparisons: Comparison[] = []
  for (const runner of runners) comparisons.push(...(await compare([runner], repeat, 0)))
  return comparisons
}

async function compare(runners: readonly TrueRunner[], repeat: number, pause: number): Promise<Comparison[]> {
  const side = await Side.start<TrueTasks>(new URL('./run-true.ts', import.meta.url))
  try {
    const [bareTimes, ...times] = await side.ask('takeTurns', ['bare', ...runners], repeat, pause)
    const bare = median(bareTimes!)
    return runners.map((runner, index) => ({ runner, bare, added: median(times[index]!) - bare }))
  } finally {
    side.stop()
  }
}

async function withOthers<T>(run: () => Promise<T>): Promise<T> {
  const tag = newTag()
  try {
    for (let index = 0; index < others; index++) spawn('sleep', [tag], { stdio: 'ignore' })
    // The machine becomes idle again.
    await delay(1_000)
    return await run()
  } finally {
    endTagged(tag)
  }
}

function toTargets(name: string, comparisons: readonly Comparison[]): Target[] {
  return comparisons.map(({ runner, added }) => ({
    ...toFigure(`${name}, ${runner}`, added),
    atMost: maxAddedMs,
  }))
}

function toFigure(name: string, figure: number): Figure {
  return { name, figure, unit: 'ms' }
}
