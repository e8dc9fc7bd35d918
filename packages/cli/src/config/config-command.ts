import { loadConfig } from '@curfew/extensions'
import { configSchema } from '@curfew/extensions/internal'
import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { reportProblems } from '../report-problems.ts'
import { write } from '../write.ts'
import { refuseFlags, setOption } from './set-option.ts'
import { showSettings } from './show-settings.ts'

export const command: Command = {
  async run(args) {
    const options = parseOptions('config', args, {
      json: { type: 'boolean' },
      schema: { type: 'boolean' },
      set: setOption,
      help: { type: 'boolean', short: 'h' },
    })
    if (options.help) {
      write(help)
      return 0
    }
    if (options.schema) {
      write(`${JSON.stringify(configSchema, null, 2)}\n`)
      return 0
    }
    const { settings, problems } = await loadConfig({}, options.set)
    refuseFlags('config', problems)
    if (options.json) write(`${JSON.stringify({ settings, problems })}\n`)
    else write(showSettings(settings))
    reportProblems(problems)
    return 0
  },
}

const help = `Usage: curfew config [--set KEY=VALUE]... [--json]
       curfew config --schema

Show every setting with the value that is in effect here, and where it comes
from: the default, the config.json of you or of this project, a variable of the
environment, or --set. Later ones in this list count more, but a project cannot
loosen what you wrote about approval, nor raise your maxToolCallTimeout. curfew
init writes a config.json to begin with.

  --set KEY=VALUE  as if it were set, as in --set limits.depth=3; rules add up,
                   of all others the last counts
  --json           print one JSON object: { settings, problems }; durations are
                   milliseconds
  --schema         print the JSON Schema of config.json
  -h, --help       show this

What is wrong in a file is said on standard error; everything else still counts.
`
