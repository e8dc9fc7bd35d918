import { type Command, defineCommand, flag } from '../command.ts'

export const demoCommand: Command = defineCommand({
  name: 'demo',
  summary: 'Run tools that misbehave, and show that every call ends (15 s)',
  description: [
    'The tools hang, ignore their signal, block their thread, fail, flood their output and go silent. Takes about 15 seconds; needs no API key and no network.',
  ],
  options: {
    json: flag('Print one JSON object with all results'),
  },
  exitCodes: { 0: 'Every call ended as expected', 1: 'A call did not' },
  run: async ({ json }) => (await import('../demo/play-demo.ts')).playDemo(json),
})
