import { setTimeout as delay } from 'node:timers/promises'
import type { Findings, Table, Target } from '../report.ts'
import { Side } from '../side.ts'
import { sum } from '../statistics.ts'
import type { Kind } from './containments.ts'
import { peakMegabytes, residentMegabytes } from './memory.ts'
import type { Runner, ScenarioTasks } from './run-scenario.ts'
import { endlessOutput, type Scenario, scenarios, unmarked } from './scenarios.ts'
import { endTagged, findCommands, newTag } from './tags.ts'

/** By default, execa sends SIGKILL 5 s after the limit. */
const watchMs = 6_500
/** The limit, the grace period, and a margin. */
const returnedBy = 1 + 0.5 + 0.2
const peers: readonly Runner[] = [
  'timeout',
  'timeout -k .5',
  'execFile',
  'execa',
  'execa, force',
  'execa, killDescendants',
  'tree-kill',
]

interface Cell {
  readonly runner: Runner
  readonly scenario: Scenario
  /** Until the call returned; infinite if it did not return in time. */
  readonly seconds: number
  readonly alive: number
  /** Memory growth of the caller in megabytes. */
  readonly growth: number
}

/** How many processes are alive after a call with a limit of one second has returned, and when it returned. */
export async function measureSurvivors(kinds: readonly Kind[]): Promise<Findings> {
  const ours = kinds.map((kind): Runner => `Curfew ${kind}`)
  const heavy = scenarios.filter((scenario) => scenario.heavy)
  const light = scenarios.filter((scenario) => !scenario.heavy)
  const cells = [
    ...(await runCells(ours, light, 2)),
    ...(await runCells(peers, light, 6)),
    ...(await runCells(ours, heavy, 1)),
    ...(await runCells(peers, heavy, 1)),
  ]
  return {
    tables: [toTable(cells, [...ours, ...peers])],
    targets: kinds.flatMap((kind) => toTargets(kind, cells)),
    information: [],
  }
}

/** Runs at most `concurrency` cells at a time. */
async function runCells(
  runners: readonly Runner[],
  rows: readonly Scenario[],
  concurrency: number,
): Promise<Cell[]> {
  const waiting = rows.flatMap((scenario) => runners.map((runner) => ({ runner, scenario })))
  const cells: Cell[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      cells.push(await runCell(next.runner, next.scenario))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return cells
}

async function runCell(runner: Runner, scenario: Scenario): Promise<Cell> {
  const tag = newTag()
  const side = await Side.start<ScenarioTasks>(new URL('./run-scenario.ts', import.meta.url))
  try {
    const before = residentMegabytes(side.pid)
    const watched = delay(watchMs, Number.POSITIVE_INFINITY, { ref: false })
    const ms = await Promise.race([side.ask('run', runner, scenario.script, tag), watched])
    // Peers may return while the processes that they killed are still exiting.
    if (peers.includes(runner)) await delay(100)
    const alive = findCommands(tag).length
    return { runner, scenario, seconds: ms / 1_000, alive, growth: peakMegabytes(side.pid) - before }
  } finally {
    side.stop()
    endTagged(tag)
    // Hundreds of zombies are still to be reaped, which must not slow down the next cell.
    if (scenario.heavy) await delay(500)
  }
}

function toTable(cells: readonly Cell[], runners: readonly Runner[]): Table {
  const row = (name: string, show: (cell: Cell) => string, scenario = name): string[] => [
    name,
    ...runners.map((runner) =>
      show(cells.find((cell) => cell.runner === runner && cell.scenario.name === scenario)!),
    ),
  ]
  return {
    title: `limit 1 s: seconds until the call returned / processes still alive; watched for ${watchMs / 1_000} s`,
    head: ['', ...runners],
    rows: [
      ...scenarios.map(({ name }) => row(name, ({ seconds, alive }) => `${showSeconds(seconds)}/${alive}`)),
      row('the same, memory growth of the caller', ({ growth }) => `${growth.toFixed(0)} MB`, endlessOutput),
    ],
  }
}

function showSeconds(seconds: number): string {
  return Number.isFinite(seconds) ? seconds.toFixed(2) : `>${watchMs / 1_000}`
}

function toTargets(kind: Kind, all: readonly Cell[]): Target[] {
  const cells = all.filter(({ runner }) => runner === `Curfew ${kind}`)
  const counted = kind === 'markers' ? cells.filter(({ scenario }) => scenario.name !== unmarked) : cells
  return [
    {
      name: `${kind}: slowest return`,
      figure: Math.max(...cells.map(({ seconds }) => seconds)),
      unit: 's',
      atMost: returnedBy,
    },
    {
      name: `${kind}: survivors${kind === 'markers' ? ', except for the one documented case' : ''}`,
      figure: sum(counted.map(({ alive }) => alive)),
      unit: '',
      atMost: 0,
    },
  ]
}
