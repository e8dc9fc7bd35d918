import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerTasks } from './api/server.ts'
import type { RequestTasks, Round } from './api/time-requests.ts'
import type { Figure, Findings } from './report.ts'
import { Side } from './side.ts'
import { median, sum } from './statistics.ts'

const concurrency = 50
const size = 500
const batches = 4
const warmUp = 60
const turns = 25

/** The cost of calling an API tool, compared with the bare request, against a server in its own process. */
export async function measureApi(): Promise<Findings> {
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  const server = await Side.start<ServerTasks>(new URL('./api/server.ts', import.meta.url), { home })
  const sides: Side<RequestTasks>[] = []
  try {
    const args = [await server.ask('listen'), String(concurrency)]
    for (const module of ['./api/curfew.ts', './api/bare.ts']) {
      sides.push(await Side.start<RequestTasks>(new URL(module, import.meta.url), { home, args }))
    }
    return await compare(sides[0]!, sides[1]!)
  } finally {
    for (const side of [server, ...sides]) side.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function compare(curfew: Side<RequestTasks>, bare: Side<RequestTasks>): Promise<Findings> {
  const rounds = { curfew: [] as Round[], bare: [] as Round[] }
  await curfew.ask('rounds', size, warmUp)
  await bare.ask('rounds', size, warmUp)
  // The sides take turns and each turn is compared on its own, so other load on the machine affects both.
  for (let turn = 0; turn < turns; turn++) {
    rounds.bare.push(total(await bare.ask('rounds', size, batches)))
    rounds.curfew.push(total(await curfew.ask('rounds', size, batches)))
  }
  const ratio = (what: keyof Round): number =>
    median(rounds.curfew.map((round, turn) => round[what] / rounds.bare[turn]![what]))
  const perCall = (name: string, side: readonly Round[], what: keyof Round): Figure => ({
    name,
    figure: (median(side.map((round) => round[what])) / (size * batches)) * 1_000,
    unit: 'µs',
  })
  return {
    targets: [
      {
        name: `a call / a bare request, ${concurrency} at once`,
        figure: ratio('wall'),
        unit: 'x',
        atMost: 1.25,
      },
    ],
    information: [
      perCall('curfew, a call', rounds.curfew, 'wall'),
      perCall('undici alone, a request', rounds.bare, 'wall'),
      { name: 'the same in CPU time', figure: ratio('cpu'), unit: 'x' },
      perCall('curfew, a call, own work', rounds.curfew, 'cpu'),
      perCall('undici alone, own work', rounds.bare, 'cpu'),
    ],
  }
}

function total(rounds: readonly Round[]): Round {
  return { wall: sum(rounds.map(({ wall }) => wall)), cpu: sum(rounds.map(({ cpu }) => cpu)) }
}
