import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findClosedNetwork } from './gateway/closed-network.ts'
import { type SideName, sideNames } from './gateway/sides.ts'
import type { GatewayTasks } from './gateway/time-calls.ts'
import type { Figure, Findings, Target } from './report.ts'
import { Side } from './side.ts'
import { median, percentile } from './statistics.ts'

const concurrencies = [1, 10] as const
const warmUp = { rounds: 10, calls: 1_000 }
const rounds = 8
const calls = 300
const peers: readonly SideName[] = ['mcp-proxy', 'supergateway', 'mcp-hub']
const maxAddedOverStdio = { 1: 0.7, 10: 1.5 } as const

type Concurrency = (typeof concurrencies)[number]
type Samples = Record<Concurrency, Record<SideName, number[]>>

/** The cost of a call through a gateway, compared with other gateways and a direct call, without network access. */
export async function measureGateway(): Promise<Findings> {
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  const under = findClosedNetwork()
  let side: Side<GatewayTasks> | undefined
  try {
    side = await Side.start<GatewayTasks>(new URL('./gateway/time-calls.ts', import.meta.url), {
      home,
      endWith: 'SIGTERM',
      ...(under !== null && { under }),
    })
    const interfaces = await side.ask('start', home)
    const isClosed = interfaces.every((name) => name === 'lo')
    return {
      ...judge(await sample(side)),
      notes: [
        isClosed
          ? 'the network was closed, except for loopback'
          : 'THE NETWORK WAS OPEN: no network namespace could be created',
        `each side ${rounds} turns of ${calls} calls at each concurrency, after ${warmUp.rounds * warmUp.calls} of warm-up`,
      ],
    }
  } finally {
    side?.stop()
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function sample(side: Side<GatewayTasks>): Promise<Samples> {
  const empty = (): Record<SideName, number[]> =>
    Object.fromEntries(sideNames.map((name): [string, number[]] => [name, []])) as Record<SideName, number[]>
  const samples: Samples = { 1: empty(), 10: empty() }
  for (let round = 0; round < warmUp.rounds; round++) await side.ask('round', round, 10, warmUp.calls)
  for (let round = 0; round < rounds; round++) {
    for (const concurrency of concurrencies) {
      const times = await side.ask('round', round, concurrency, calls)
      for (const name of sideNames) samples[concurrency][name].push(...times[name])
    }
  }
  return samples
}

function judge(samples: Samples): Findings {
  const p50 = (concurrency: Concurrency, name: SideName): number => median(samples[concurrency][name])
  const p90 = (concurrency: Concurrency, name: SideName): number =>
    percentile(samples[concurrency][name], 0.9)
  const targets = concurrencies.flatMap((concurrency): Target[] => {
    const ours = p50(concurrency, 'curfew HTTP')
    const fastest = Math.min(...peers.map((name) => p50(concurrency, name)))
    return [
      {
        name: `stdio, p50 at ${concurrency}: added to direct`,
        figure: p50(concurrency, 'curfew stdio') - p50(concurrency, 'direct stdio'),
        unit: 'ms',
        atMost: maxAddedOverStdio[concurrency],
      },
      {
        name: `HTTP, p50 at ${concurrency}: / the fastest of the three`,
        figure: ours / fastest,
        unit: 'x',
        atMost: 1,
      },
    ]
  })
  const information = concurrencies.map((concurrency): Figure => {
    const ours = p50(concurrency, 'curfew HTTP')
    return {
      name: `peers with a lower p50 over HTTP at ${concurrency}`,
      figure: peers.filter((name) => p50(concurrency, name) < ours).length,
      unit: 'of 3',
    }
  })
  const cell = (milliseconds: number): string => milliseconds.toFixed(2)
  return {
    targets,
    information,
    tables: [
      {
        title: "milliseconds per call of server-everything's `echo`",
        head: ['', 'p50 at 1', 'p90 at 1', 'p50 at 10', 'p90 at 10'],
        rows: sideNames.map((name) => [
          name,
          ...concurrencies.flatMap((concurrency) => [
            cell(p50(concurrency, name)),
            cell(p90(concurrency, name)),
          ]),
        ]),
      },
    ],
  }
}
