import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { configSchema } from '@curfew/extensions/internal'
import { type Command, UsageError } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { starterRoot } from '../starter-root.ts'
import { write } from '../write.ts'
import { configStarter } from './config-starter.ts'

export const command: Command = {
  async run(args) {
    const { user, help: wantsHelp } = parseOptions('init', args, {
      user: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (wantsHelp) {
      write(help)
      return 0
    }
    const root = starterRoot(user ?? false)
    const file = join(root.path, 'config.json')
    const schema = join(root.path, 'config.schema.json')
    if (existsSync(file)) throw new UsageError(`curfew init: ${file} exists already; it is left as it is`)
    await root.prepare()
    mkdirSync(root.path, { recursive: true, ...(user && { mode: 0o700 }) })
    writeNew(file, configStarter)
    const made = [file]
    if (!existsSync(schema)) {
      writeNew(schema, `${JSON.stringify(configSchema, null, 2)}\n`)
      made.push(schema)
    }
    write(`made ${made.map((path) => relative(process.cwd(), path)).join(' and ')}\n`)
    write(
      root.usable
        ? 'see what is in effect: curfew config\n'
        : 'this project is not trusted yet; look at it, then: curfew trust && curfew config\n',
    )
    return 0
  },
}

function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'wx' })
}

const help = `Usage: curfew init [--user]

Write a config.json to begin with, and its JSON Schema beside it, so that
editors can complete it. It sets nothing until you take comments away. It goes
into this project's .curfew (made and trusted if there is none); with --user
into your configuration folder. What is there already is left as it is.

  --user      for all your projects
  -h, --help  show this
`
