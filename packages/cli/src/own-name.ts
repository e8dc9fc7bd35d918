import { realpathSync } from 'node:fs'

/** Package runners that start us from a cache that may be cleared, with their commands. */
const runners: readonly (readonly [cache: RegExp, command: readonly [string, ...string[]]])[] = [
  [/[\\/]_npx[\\/]/, ['npx', '-y', 'curfew']],
  [/[\\/]pnpm[\\/](?:[^\\/]+[\\/])*dlx[-\\/]/, ['pnpm', 'dlx', 'curfew']],
  [/[\\/]bunx-/, ['bunx', 'curfew']],
]

/** The command of the package runner that started us, or `null`. */
export function runnerCommand(script: string = ownScript()): readonly [string, ...string[]] | null {
  return runners.find(([cache]) => cache.test(script))?.[1] ?? null
}

/** A command to print that works for the reader: `npx -y curfew mcp test` if npx started us. */
export function advise(command: string): string {
  const own = runnerCommand()?.join(' ')
  return own === undefined ? command : command.replaceAll(/(?<=^|&& )curfew(?= )/g, own)
}

export function ownScript(): string {
  const script = process.argv[1] ?? ''
  try {
    return realpathSync(script)
  } catch {
    return script
  }
}
