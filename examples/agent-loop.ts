// The loop around a model: run what it asks for, hand back what it should read, and stop when the turn is used up.
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

// A stand-in for a model that would go on for ever.
let asked = 0
const nextCalls = (_results: string[]): ToolCall[] => [{ id: `call_${++asked}`, name: 'roll_die' }]

let results: string[] = []
while (!runtime.turnStatus('turn-1').windDown) {
  const batch = await runtime.execute(nextCalls(results), { turn: 'turn-1' })
  results = batch.map(({ content }) => content)
  process.stdout.write(`${results.join('\n')}\n`)
}
process.stdout.write('the model now gives its last answer, without tools\n')
await runtime.close()
