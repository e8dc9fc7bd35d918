import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { write } from '../write.ts'

const help = `curfew demo: watch real calls end, whatever their tools do.

Tools that hang, ignore their signal, block their thread, fail, flood and fall
silent, and what becomes of each call. It takes about 15 seconds and needs no
key and no network. The exit code is 0 only if every call ended as it should.

Usage: curfew demo [options]

Options:
      --json  Print one JSON object with all results, and nothing else.
  -h, --help  Show this.
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
