import type { SideName } from './loop/conversations.ts'
import type { LoopTasks, Memory } from './loop/program.ts'
import type { Findings } from './report.ts'
import { Side } from './side.ts'
import { median } from './statistics.ts'

const names = ['curfew', 'streamText', 'ToolLoopAgent'] as const
const rounds = 9
const memoryRounds = 5
const turnsPerRound = 60
const longConversation = 200
const manyDeltas = 10_000

type Sides = Readonly<Record<SideName, Side<LoopTasks>>>

/** What one turn of an agent costs besides the model, compared with the AI SDK on the same scripted model. */
export async function measureLoop(): Promise<Findings> {
  const program = new URL('./loop/program.ts', import.meta.url)
  const start = (name: SideName): Promise<Side<LoopTasks>> => Side.start(program, { args: [name] })
  const sides: Sides = {
    curfew: await start('curfew'),
    streamText: await start('streamText'),
    ToolLoopAgent: await start('ToolLoopAgent'),
  }
  try {
    return await compare(sides)
  } finally {
    for (const side of Object.values(sides)) side.stop()
  }
}

async function compare(sides: Sides): Promise<Findings> {
  const times = await inTurn(sides, rounds, (side) => side.ask('time', turnsPerRound))
  const memory = await inTurn(sides, memoryRounds, (side) => side.ask('memory', longConversation))
  const deltas: number[] = []
  for (let round = 0; round <= rounds; round++) deltas.push(await sides.curfew.ask('deltas', manyDeltas))
  const perTurn = (name: SideName): number => median(times[name])
  const megabytes = (name: SideName, part: keyof Memory): number =>
    median(memory[name].map((measured) => measured[part]))
  const toSmaller = (figure: (name: SideName) => number): number =>
    figure('curfew') / Math.min(figure('streamText'), figure('ToolLoopAgent'))
  return {
    targets: [
      { name: 'a turn / the faster of the AI SDK', figure: toSmaller(perTurn), unit: 'x', atMost: 1.2 },
      {
        name: 'memory of 200 turns, with the rows of a new runtime / the smaller',
        figure: toSmaller((name) => megabytes(name, 'first')),
        unit: 'x',
        atMost: 1,
      },
      // The first round warms up.
      { name: '10,000 deltas, CPU time', figure: median(deltas.slice(1)), unit: 'ms', atMost: 50 },
    ],
    information: [
      {
        name: 'memory of 200 turns later in the conversation / the smaller',
        figure: toSmaller((name) => megabytes(name, 'later')),
        unit: 'x',
      },
      ...names.map((name) => ({ name: `${name}, CPU time of a turn`, figure: perTurn(name), unit: 'ms' })),
      ...names.map((name) => ({
        name: `${name}, heap of 200 turns`,
        figure: megabytes(name, 'first'),
        unit: 'MB',
      })),
      ...names.map((name) => ({
        name: `${name}, heap of 200 later turns`,
        figure: megabytes(name, 'later'),
        unit: 'MB',
      })),
    ],
  }
}

/** The sides alternate, so that what else the machine does affects all of them. */
async function inTurn<T>(
  sides: Sides,
  rounds: number,
  measure: (side: Side<LoopTasks>) => Promise<T>,
): Promise<Record<SideName, T[]>> {
  const measured: Record<SideName, T[]> = { curfew: [], streamText: [], ToolLoopAgent: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const result = await measure(sides[name])
      // The first round warms up.
      if (round > 0) measured[name].push(result)
    }
  }
  return measured
}
