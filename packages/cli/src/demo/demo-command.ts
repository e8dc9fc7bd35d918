import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { write } from '../write.ts'

const help = `curfew demo: run tools that misbehave, and watch every call end.

The tools hang, ignore their signal, block their thread, fail, flood and go
silent. Takes about 15 seconds; needs no API key and no network. The exit code
is 0 only if every call ended as expected.

Usage: curfew demo [options]

Options:
      --json  Print one JSON object with all results instead of text.
  -h, --help  Show this help.
`

export const command: Command = {
  async run(args) {
    const options = parseOptions('demo', args, {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (options.help) {
      write(help)
      return 0
    }
    const { playDemo } = await import('./play-demo.ts')
    return await playDemo(options.json ?? false)
  },
}
