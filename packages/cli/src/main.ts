import { type Command, UsageError } from './command.ts'
import { exitWith } from './exit-with.ts'
import { watchErrors, write } from './write.ts'

interface Entry {
  readonly summary: string
  /** Only the module of the command that was asked for is loaded. */
  load(): Promise<{ readonly command: Command }>
}

const commands: ReadonlyMap<string, Entry> = new Map([
  [
    'call',
    {
      summary: 'Call one tool, and watch it end.',
      load: () => import('./call/call-command.ts'),
    },
  ],
  [
    'config',
    {
      summary: 'Show every setting that is in effect, and who set it.',
      load: () => import('./config/config-command.ts'),
    },
  ],
  [
    'demo',
    {
      summary: 'Watch real calls end, whatever their tools do (15 s).',
      load: () => import('./demo/demo-command.ts'),
    },
  ],
  [
    'doctor',
    {
      summary: 'Say what this machine allows, and how to get more.',
      load: () => import('./doctor/doctor-command.ts'),
    },
  ],
  [
    'init',
    {
      summary: 'Write a configuration file, to begin with.',
      load: () => import('./init/init-command.ts'),
    },
  ],
  [
    'mcp',
    {
      summary: 'Serve all tools to an agent, and manage MCP servers.',
      load: () => import('./mcp/mcp-command.ts'),
    },
  ],
  [
    'new',
    {
      summary: 'Write a tool that works, to begin with.',
      load: () => import('./new/new-command.ts'),
    },
  ],
  [
    'review',
    {
      summary: 'Grade the definitions of tools, and say what would be better.',
      load: () => import('./review/review-command.ts'),
    },
  ],
  [
    'secret',
    {
      summary: 'Keep the keys that tools need.',
      load: () => import('./secret/secret-command.ts'),
    },
  ],
  [
    'timeout',
    {
      summary: 'Run a command with a time limit; nothing it started is left.',
      load: () => import('./timeout/timeout-command.ts'),
    },
  ],
  [
    'tools',
    {
      summary: 'List the tools that are there, and how long they may take.',
      load: () => import('./tools/tools-command.ts'),
    },
  ],
  [
    'trust',
    {
      summary: "Use this project's own tools.",
      load: () => import('./trust/trust-command.ts'),
    },
  ],
])

exitWith(main(process.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  switch (name) {
    case 'help':
      if (rest[0] !== undefined) return await main([rest[0], '--help'])
      break
    case undefined:
    case '-h':
    case '--help':
      break
    case '-v':
    case '--version':
      write(`${(await import('./curfew-version.ts')).curfewVersion()}\n`)
      return 0
    default:
      return await runCommand(name, rest)
  }
  write(help())
  return 0
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const entry = commands.get(name)
  if (entry === undefined) {
    const { didYouMean } = await import('@curfew/core/internal')
    const isOption = name.startsWith('-')
    const hint = didYouMean(name, isOption ? ['--help', '--version'] : ['help', ...commands.keys()])
    const kind = isOption ? 'option' : 'command'
    throw new UsageError(
      `curfew: there is no ${kind} ${JSON.stringify(name)}; ${hint === '' ? '' : `${hint} `}curfew --help lists them`,
    )
  }
  watchErrors()
  const { command } = await entry.load()
  return await command.run(args)
}

function help(): string {
  const lines = [...commands].map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  return `curfew: run the tools of AI agents so that every call ends.

Usage: curfew <command> [options]

Commands:
${lines.join('\n')}

Options:
  -h, --help     Show this; after a command, show what that command takes.
  -v, --version  Show the version.
`
}
