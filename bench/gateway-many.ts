import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findClosedNetwork } from './gateway/closed-network.ts'
import type { ManyFigures, ManySide, ManyTasks } from './gateway-many/measure-many.ts'
import type { Findings } from './report.ts'
import { Side } from './side.ts'
import { median } from './statistics.ts'

const rounds = 3
const situations = {
  'mcp-hub': 'mcp-hub',
  'curfew, first start': 'curfew',
  'curfew, known servers': 'curfew',
} as const satisfies Record<string, ManySide>

type Situation = keyof typeof situations

/** 28 servers behind Curfew and behind mcp-hub: how long the first list takes, and what runs when nobody calls. */
export async function measureGatewayMany(): Promise<Findings> {
  const names = Object.keys(situations) as Situation[]
  const runs = Object.fromEntries(names.map((name): [string, ManyFigures[]] => [name, []])) as Record<
    Situation,
    ManyFigures[]
  >
  for (let round = 0; round < rounds; round++) {
    const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
    try {
      // The second start of Curfew uses the home of the first one.
      for (const name of names) runs[name].push(await measure(situations[name], join(home, situations[name])))
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    }
  }
  const figure = (name: Situation, key: keyof ManyFigures): number =>
    median(runs[name].map((run) => run[key]))
  const known = 'curfew, known servers'
  return {
    targets: [
      { name: `${known}: processes`, figure: figure(known, 'processes'), unit: '', atMost: 1 },
      {
        name: `${known}: memory of the gateway (RSS)`,
        figure: figure(known, 'rssMb'),
        unit: 'MB',
        atMost: 150,
      },
      {
        name: `${known}: time to the complete list / mcp-hub`,
        figure: figure(known, 'completeMs') / figure('mcp-hub', 'completeMs'),
        unit: 'x',
        atMost: 0.5,
      },
    ],
    information: [],
    tables: [
      {
        title: '28 servers',
        head: [
          '',
          'first list',
          'its tools',
          'complete list',
          'tools',
          'processes',
          'memory (PSS)',
          'gateway (RSS)',
        ],
        rows: names.map((name) => [
          name,
          seconds(figure(name, 'firstMs')),
          String(figure(name, 'firstTools')),
          seconds(figure(name, 'completeMs')),
          String(figure(name, 'tools')),
          String(figure(name, 'processes')),
          `${figure(name, 'pssMb').toFixed(0)} MB`,
          `${figure(name, 'rssMb').toFixed(0)} MB`,
        ]),
      },
    ],
    notes: [`medians of ${rounds} alternating rounds; processes and memory after 20 s without requests`],
  }
}

async function measure(kind: ManySide, home: string): Promise<ManyFigures> {
  const under = findClosedNetwork()
  const side = await Side.start<ManyTasks>(new URL('./gateway-many/measure-many.ts', import.meta.url), {
    endWith: 'SIGTERM',
    ...(under !== null && { under }),
  })
  try {
    return await side.ask('measure', kind, home)
  } finally {
    await side.end()
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`
}
