import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure, Findings } from '../report.ts'
import { Side } from '../side.ts'
import { median } from '../statistics.ts'
import { type ChunkTasks, listedCalls, type ScreenRun } from './measured-screen.ts'

const names = ['curfew', 'peer', 'memoized'] as const
type Sides = Readonly<Record<(typeof names)[number], Side<ChunkTasks>>>

const chunks = 10_000
const rounds = 5
const streamMs = 2_000
const frameMs = 1_000 / 30

/** Live output of one of 100 calls in a list in a terminal, compared with the hook of Gemini CLI. */
export async function measureChunks(): Promise<Findings> {
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  const options = { home, env: { NODE_ENV: 'production' } }
  const peer = new URL('./gemini-list.ts', import.meta.url)
  const sides: Sides = {
    curfew: await Side.start(new URL('./curfew-list.ts', import.meta.url), options),
    peer: await Side.start(peer, options),
    memoized: await Side.start(peer, { ...options, args: ['--memoize'] }),
  }
  try {
    return await compare(sides)
  } finally {
    for (const side of Object.values(sides)) side.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function compare(sides: Sides): Promise<Findings> {
  const runs: Record<keyof Sides, ScreenRun[]> = { curfew: [], peer: [], memoized: [] }
  const atOnce: Record<keyof Sides, number[]> = { curfew: [], peer: [], memoized: [] }
  const streams: ScreenRun[] = []
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const run = await sides[name].ask('oneEachTurn', chunks)
      const { ms } = await sides[name].ask('atOnce', chunks)
      if (round === 0) continue
      runs[name].push(run)
      atOnce[name].push(ms)
    }
    if (round > 0) streams.push(await sides.curfew.ask('during', chunks, streamMs))
  }
  const of = (name: keyof Sides, part: keyof ScreenRun): number => median(runs[name].map((run) => run[part]))
  const title = `${chunks} chunks, ${listedCalls} calls listed`
  const framesOf = ({ paints, ms }: ScreenRun): number => paints / (ms / frameMs + 1)
  return {
    targets: [
      {
        name: `${title}: time of the peer's hook / ours`,
        figure: of('peer', 'ms') / of('curfew', 'ms'),
        unit: 'x',
        atLeast: 50,
      },
      {
        name: 'the same, CPU time',
        figure: of('peer', 'cpuMs') / of('curfew', 'cpuMs'),
        unit: 'x',
        atLeast: 50,
      },
      {
        name: `paints per frame of ${Math.round(frameMs)} ms, most of ${2 * rounds} runs`,
        figure: Math.max(...[...runs.curfew, ...streams].map(framesOf)),
        unit: '',
        atMost: 1,
      },
    ],
    information: [
      {
        name: 'with memoized rows, time of the peer / ours',
        figure: of('memoized', 'ms') / of('curfew', 'ms'),
        unit: 'x',
      },
      {
        name: 'with memoized rows, CPU time of the peer / ours',
        figure: of('memoized', 'cpuMs') / of('curfew', 'cpuMs'),
        unit: 'x',
      },
      ...names.flatMap((name): Figure[] => [
        { name: `${name}, time`, figure: of(name, 'ms'), unit: 'ms' },
        { name: `${name}, CPU time`, figure: of(name, 'cpuMs'), unit: 'ms' },
        { name: `${name}, renders of rows`, figure: of(name, 'rowRenders'), unit: '' },
        { name: `${name}, paints`, figure: of(name, 'paints'), unit: '' },
        { name: `${name}, bytes written`, figure: of(name, 'bytes'), unit: '' },
        { name: `${name}, all chunks in one turn, time`, figure: median(atOnce[name]), unit: 'ms' },
      ]),
      {
        name: `curfew, ${chunks} chunks in ${streamMs / 1_000} s: share of a core`,
        figure: 100 * median(streams.map(({ cpuMs, ms }) => cpuMs / ms)),
        unit: '%',
      },
      { name: 'the same, paints', figure: median(streams.map(({ paints }) => paints)), unit: '' },
    ],
    notes: [
      "the peer's hook is useToolScheduler of the published bundle, with the React and Ink in it; both sides render the same rows",
    ],
  }
}
