import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure, Findings } from './report.ts'
import type { CurfewTasks } from './scheduler/curfew.ts'
import type { SchedulerTasks } from './scheduler/time-each.ts'
import { Side } from './side.ts'
import { median, sum } from './statistics.ts'

interface Sides {
  readonly curfew: Side<CurfewTasks>
  /** As published. */
  readonly peer: Side<SchedulerTasks>
  /** With memoized schemas, which it otherwise rebuilds for every call. */
  readonly memoized: Side<SchedulerTasks>
}

const calls = 1_000
const small = 100
const large = 5_000
const chunkCount = 10_000

/** The cost of a call, compared with the scheduler of Gemini CLI, for a tool that does nothing. */
export async function measureScheduler(): Promise<Findings> {
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  const curfew = new URL('./scheduler/curfew.ts', import.meta.url)
  const peer = new URL('./scheduler/peer.ts', import.meta.url)
  const sides: Sides = {
    curfew: await Side.start(curfew, { home }),
    peer: await Side.start(peer, { home }),
    memoized: await Side.start(peer, { home, args: ['--memoize'] }),
  }
  try {
    return await compare(sides)
  } finally {
    for (const side of Object.values(sides)) side.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function compare(sides: Sides): Promise<Findings> {
  const { curfew, peer, memoized } = sides
  const batch = await compareBatches(sides)
  const growth = await measureGrowth(curfew)
  const notifications = await curfew.ask('notifications', calls)
  const chunks = await curfew.ask('chunks', chunkCount, 11)
  const single = await compareSingleCalls(sides)
  return {
    targets: [
      { name: 'times as fast as the peer', figure: batch.peer / batch.curfew, unit: 'x', atLeast: 40 },
      { name: 'with its schemas memoized', figure: batch.memoized / batch.curfew, unit: 'x', atLeast: 8 },
      {
        name: `a call in ${large} / in ${small}`,
        figure: growth.large / growth.small,
        unit: 'x',
        atMost: 1.3,
      },
      {
        name: 'one call at a time / a call in a batch',
        figure: single.curfew / single.curfewBatch,
        unit: 'x',
        atMost: 4,
      },
      {
        name: 'one at a time, times as fast as the memoized peer',
        figure: single.memoized / single.curfew,
        unit: 'x',
        atLeast: 1,
      },
      { name: 'notifications in one loop turn', figure: notifications.maxPerTurn, unit: '', atMost: 1 },
      { name: `${chunkCount} chunks at once`, figure: chunks.atOnce, unit: 'ms', atMost: 10 },
      { name: `${chunkCount} chunks, one a turn`, figure: chunks.oneEachTurn, unit: 'ms', atMost: 10 },
    ],
    information: [
      perCall(`curfew, a call in ${calls}`, batch.curfew),
      perCall(`curfew, a call in ${calls}, mean`, batch.curfewMean),
      perCall(`peer, a call in ${calls}`, batch.peer),
      perCall(`memoized peer, a call in ${calls}`, batch.memoized),
      perCall(`curfew, a call in ${small}`, growth.small),
      perCall(`curfew, a call in ${large}`, growth.large),
      ...(await showGrowth('peer', peer)),
      ...(await showGrowth('memoized peer', memoized)),
      perCall('curfew, one at a time', single.curfew),
      perCall('curfew, one in a batch, alternating', single.curfewBatch),
      perCall('peer, one at a time', single.peer),
      perCall('memoized peer, one at a time', single.memoized),
      {
        name: `curfew, notifications in ${notifications.turns} turns`,
        figure: notifications.count,
        unit: '',
      },
    ],
  }
}

interface BatchTimes extends Record<keyof Sides, number> {
  readonly curfewMean: number
}

/** Median milliseconds per call. The sides take turns, so other load on the machine affects all of them. */
async function compareBatches({ curfew, peer, memoized }: Sides): Promise<BatchTimes> {
  const times = { curfew: [] as number[], peer: [] as number[], memoized: [] as number[] }
  await curfew.ask('batches', calls, 30)
  await peer.ask('batches', calls, 2)
  await memoized.ask('batches', calls, 2)
  for (let round = 0; round < 4; round++) {
    times.curfew.push(...(await curfew.ask('batches', calls, 5)))
    times.peer.push(...(await peer.ask('batches', calls, 5)))
    times.memoized.push(...(await memoized.ask('batches', calls, 5)))
  }
  return {
    curfew: median(times.curfew) / calls,
    curfewMean: sum(times.curfew) / times.curfew.length / calls,
    peer: median(times.peer) / calls,
    memoized: median(times.memoized) / calls,
  }
}

/**
 * Median milliseconds per call, each followed by a notification and, on Curfew's side, by a snapshot of 1,000 rows. The batches
 * for comparison are measured in the same rounds.
 */
async function compareSingleCalls(sides: Sides): Promise<Record<keyof Sides | 'curfewBatch', number>> {
  const { curfew, peer, memoized } = sides
  const times = {
    curfew: [] as number[],
    peer: [] as number[],
    memoized: [] as number[],
    batch: [] as number[],
  }
  for (let round = 0; round < 7; round++) {
    times.curfew.push(await curfew.ask('oneAtATime', calls))
    times.batch.push(...(await curfew.ask('batches', calls, 5)))
    times.memoized.push(await memoized.ask('oneAtATime', calls))
    if (round < 3) times.peer.push(await peer.ask('oneAtATime', calls))
  }
  return {
    curfew: median(times.curfew) / calls,
    curfewBatch: median(times.batch) / calls,
    peer: median(times.peer) / calls,
    memoized: median(times.memoized) / calls,
  }
}

/** Both sizes are timed over the same number of calls, so garbage collection counts equally. */
async function measureGrowth(side: Side<CurfewTasks>): Promise<{ small: number; large: number }> {
  const times = { small: [] as number[], large: [] as number[] }
  await side.ask('batches', large, 5)
  for (let round = 0; round < 20; round++) {
    times.small.push(sum(await side.ask('batches', small, large / small)))
    times.large.push(sum(await side.ask('batches', large, 1)))
  }
  return { small: median(times.small) / large, large: median(times.large) / large }
}

async function showGrowth(name: string, side: Side<SchedulerTasks>): Promise<Figure[]> {
  return [
    perCall(`${name}, a call in ${small}`, median(await side.ask('batches', small, 10)) / small),
    perCall(`${name}, a call in ${large}`, median(await side.ask('batches', large, 1)) / large),
  ]
}

function perCall(name: string, ms: number): Figure {
  return { name, figure: ms * 1_000, unit: 'µs' }
}
