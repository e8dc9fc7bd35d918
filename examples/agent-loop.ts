// An agent loop: run the calls that the model requests, return the results, and stop when the turn's limit is reached.
import { createRuntime, defineTool, type ToolCall } from '@curfew/core'

const runtime = createRuntime({ limits: { callsPerTurn: 4 }, toolCallTimeout: '10s' })

runtime.register(
  defineTool({
    name: 'roll_die',
    description: 'Roll a die.',
    readOnly: true,
    execute: () => 1 + Math.floor(Math.random() * 6),
  }),
)

// Stands in for a model that would keep calling tools forever.
let count = 0
const nextCalls = (_results: string[]): ToolCall[] => [{ id: `call_${++count}`, name: 'roll_die' }]

let results: string[] = []
while (!runtime.turnStatus('turn-1').windDown) {
  const batch = await runtime.execute(nextCalls(results), { turn: 'turn-1' })
  results = batch.map(({ content }) => content)
  process.stdout.write(`${results.join('\n')}\n`)
}
process.stdout.write('the model now gives its final answer, without tools\n')
await runtime.close()
