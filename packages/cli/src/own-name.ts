import { realpathSync } from 'node:fs'

/** How a package runner starts us, where our own files are in a cache of its that may be gone tomorrow. */
const runners: readonly (readonly [cache: RegExp, command: readonly [string, ...string[]]])[] = [
  [/[\\/]_npx[\\/]/, ['npx', '-y', 'curfew']],
  [/[\\/]pnpm[\\/](?:[^\\/]+[\\/])*dlx[-\\/]/, ['pnpm', 'dlx', 'curfew']],
  [/[\\/]bunx-/, ['bunx', 'curfew']],
]

/** The command that starts us again tomorrow, if a package runner started us; otherwise `null`. */
export function runnerCommand(script: string = ownScript()): readonly [string, ...string[]] | null {
  return runners.find(([cache]) => cache.test(script))?.[1] ?? null
}

/** `curfew mcp test` as it works for whoever reads it: `npx -y curfew mcp test` where npx started us. */
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
