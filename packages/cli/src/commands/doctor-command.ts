import { type Command, defineCommand, flag } from '../command.ts'

export const doctorCommand: Command = defineCommand({
  name: 'doctor',
  summary: 'Check this machine and your configuration',
  description: [
    "It checks the Node version, how commands can be contained so that nothing they start is left running (cgroup, PID namespace, markers), whether there is a keychain, and the configuration files, both yours and this project's. MCP servers are counted but not started: curfew mcp test does that.",
  ],
  options: {
    json: flag('Print one JSON object: { findings, problems }'),
  },
  exitCodes: { 0: 'Commands can be contained', 1: 'They cannot' },
  seeAlso: ['curfew config', 'curfew mcp test'],
  run: async ({ json }) => (await import('../doctor/run-doctor.ts')).runDoctor(json),
})
