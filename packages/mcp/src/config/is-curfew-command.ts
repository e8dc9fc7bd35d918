import { basename } from 'node:path'

/** What may stand before it, beside options. */
const launchers: ReadonlySet<string> = new Set(
  'npx node bun bunx pnpm dlx yarn npm exec env cmd /c'.split(' '),
)

/** `curfew mcp`, `npx -y curfew mcp`, `node .../curfew.cjs mcp`: as a server of its own it would start itself again and again. */
export function isCurfewCommand(command: string, args: readonly string[]): boolean {
  const words = [command, ...args].filter((word) => !word.startsWith('-'))
  const at = words.findIndex((word) => !launchers.has(word) && !launchers.has(programOf(word)))
  return at >= 0 && /^curfew(@.*)?$/.test(programOf(words[at]!)) && words[at + 1] === 'mcp'
}

function programOf(word: string): string {
  return basename(word).replace(/\.(cjs|cmd|exe)$/, '')
}
