import { type Command, defineCommand } from '../command.ts'

export const demoCommand: Command = defineCommand({
  name: 'demo',
  summary: 'Run tools that misbehave and show how each call ends (15 s)',
  description: [
    'The tools hang, ignore their signal, block their thread, fail, flood their output or fall silent. It takes about 15 seconds and needs neither a key nor a network.',
  ],
  options: {
    json: { type: 'boolean', summary: 'Print one JSON object with all results, and nothing else' },
  },
  exitCodes: { 0: 'Every call ended as it should', 1: 'A call did not' },
  run: async ({ json }) => (await import('../demo/play-demo.ts')).playDemo(json),
})
