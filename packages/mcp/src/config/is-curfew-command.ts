import { basename } from 'node:path'

/** Programs and subcommands that may precede `curfew`. */
const launchers: ReadonlySet<string> = new Set(
  'npx node bun bunx pnpm dlx yarn npm exec env cmd /c'.split(' '),
)

/** Detects `curfew mcp`, `npx -y curfew mcp`, `node .../curfew.cjs mcp`: as its own server, Curfew would start itself endlessly. */
export function isCurfewCommand(command: string, args: readonly string[]): boolean {
  const words = [command, ...args].filter((word) => !word.startsWith('-'))
  const at = words.findIndex((word) => !launchers.has(word) && !launchers.has(programOf(word)))
  return at >= 0 && /^curfew(@.*)?$/.test(programOf(words[at]!)) && words[at + 1] === 'mcp'
}

function programOf(word: string): string {
  return basename(word).replace(/\.(cjs|cmd|exe)$/, '')
}
