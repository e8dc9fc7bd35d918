import {
  configRoots,
  formatProblem,
  loadExtensions,
  setTrust,
  trustedProjects,
} from '@curfew/core/extensions'
import { type Command, UsageError } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { write } from '../write.ts'

export const command: Command = {
  async run(args) {
    const {
      remove,
      list,
      help: wantsHelp,
    } = parseOptions('trust', args, {
      remove: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (wantsHelp) {
      write(help)
      return 0
    }
    const { user, project } = configRoots()
    if (list) {
      const paths = trustedProjects(user)
      write(paths.length === 0 ? 'no project is trusted\n' : paths.map((path) => `${path}\n`).join(''))
      return 0
    }
    if (project === null) {
      throw new UsageError(
        'curfew trust: there is no .curfew in this directory or above it; nothing to trust',
      )
    }
    setTrust(user, project.path, !remove)
    if (remove) write(`${project.path} is not trusted any more\n`)
    else await showTrusted(project.path)
    return 0
  },
}

/** What may run from now on. */
async function showTrusted(path: string): Promise<void> {
  const { tools, problems } = await loadExtensions()
  write(`${path} is trusted now\n`)
  for (const { tool, file, alwaysAllow } of tools) {
    if (file.startsWith(path)) write(`  ${tool.name}${alwaysAllow ? ' (runs without a question)' : ''}\n`)
  }
  for (const problem of problems) {
    if (problem.file.startsWith(path)) write(`  ${problem.severity}: ${formatProblem(problem)}\n`)
  }
}

const help = `Usage: curfew trust [--list | --remove]

Use the .curfew of the project that you are in. Its files can run commands, so they are ignored until you say this; look
at them first. What is trusted is the folder: what is changed in it later is trusted too. CURFEW_TRUST=1 trusts for one run.

  --list      show what is trusted
  --remove    ignore this project's .curfew again
  -h, --help  show this
`
