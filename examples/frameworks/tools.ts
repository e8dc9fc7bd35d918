// The runtime, its tools, and the calls that the scripted model of each example requests in its first step.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, defineTool } from '@curfew/core'

export const runtime = createRuntime({
  approval: { default: 'allow', rules: { deny: ['delete_note'] } },
  log: () => {},
})

let note = ''
runtime.register(
  defineTool({
    name: 'write_note',
    description: 'Write the note.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    async execute({ text }) {
      await sleep(text === 'A' ? 50 : 1)
      note = text
      return 'written'
    },
  }),
  defineTool({ name: 'read_note', description: 'Read the note.', readOnly: true, execute: () => note }),
  defineTool({ name: 'delete_note', description: 'Delete the note.', execute: () => 'deleted' }),
  defineTool({
    name: 'build',
    description: 'Build the project.',
    timeout: 200,
    async execute(_params, { output }) {
      output('compiling')
      await new Promise(() => {}) // ignores its signal
    },
  }),
)

runtime.subscribe(({ changed }) => {
  for (const { name, status, outputTail } of changed)
    if (status === 'executing' && outputTail !== '') print(`live: ${name}: ${outputTail}`)
})

export const calls = [
  { id: 'call_1', name: 'write_note', params: { text: 'A' } },
  { id: 'call_2', name: 'read_note', params: {} },
  { id: 'call_3', name: 'write_note', params: { text: 'B' } },
  { id: 'call_4', name: 'read_note', params: {} },
  { id: 'call_5', name: 'delete_note', params: {} },
  { id: 'call_6', name: 'build', params: {} },
]

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
