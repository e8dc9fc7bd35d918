import { basename } from 'node:path'
import { type Reference, showReference } from './reference.ts'
import type { ServerConfig } from './server-config.ts'

/** Commands that may precede the runner. */
const wrappers: ReadonlySet<string> = new Set(['cmd', '/c', 'env'])

/** Programs that download what they run, and the subcommands that do so; `null` for any. */
const runners: Readonly<Record<string, readonly string[] | null>> = {
  npx: null,
  pnpx: null,
  bunx: null,
  uvx: null,
  npm: ['exec', 'x'],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['run', 'tool'],
  pipx: ['run'],
  deno: ['run', 'x'],
  docker: ['run'],
  podman: ['run'],
  nerdctl: ['run'],
}

/** The program that downloads a server before it runs: `npx`, `uvx`, `docker`. `null` if the command is the server itself. */
export function packageRunnerOf(command: string, args: readonly (string | Reference)[]): string | null {
  const words = [command, ...args.map(showReference)]
  const at = words.findIndex((word) => !wrappers.has(word.toLowerCase()) && !/^\w+=/.test(word))
  const program = basename(words[at] ?? '').replace(/\.(cmd|exe|ps1)$/i, '')
  if (!Object.hasOwn(runners, program)) return null
  const actions = runners[program]!
  const action = words.slice(at + 1).find((word) => !word.startsWith('-')) ?? ''
  return actions === null || actions.includes(action) ? program : null
}

/** The same for a configured server. */
export function runnerOf({ target }: Pick<ServerConfig, 'target'>): string | null {
  return target.kind === 'stdio' ? packageRunnerOf(target.command, target.args) : null
}
