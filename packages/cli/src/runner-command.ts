import { realpathSync } from 'node:fs'

/** Package runners that start Curfew from a cache that may be cleared. */
const runners: readonly (readonly [cache: RegExp, command: readonly [string, ...string[]]])[] = [
  [/[\\/]_npx[\\/]/, ['npx', '-y', 'curfew']],
  [/[\\/]pnpm[\\/](?:[^\\/]+[\\/])*dlx[-\\/]/, ['pnpm', 'dlx', 'curfew']],
  [/[\\/]bunx-/, ['bunx', 'curfew']],
]

/** The package runner's command if one started us, such as `npx -y curfew`; otherwise `null`. */
export function runnerCommand(script: string = ownScript()): readonly [string, ...string[]] | null {
  return runners.find(([cache]) => cache.test(script))?.[1] ?? null
}

/** The command as the user has to type it: `npx -y curfew mcp test` if npx started us. */
export function advise(command: string): string {
  const runner = runnerCommand()?.join(' ')
  return runner === undefined ? command : command.replaceAll(/(?<=^|&& )curfew(?= )/g, runner)
}

export function ownScript(): string {
  const script = process.argv[1] ?? ''
  try {
    return realpathSync(script)
  } catch {
    return script
  }
}
