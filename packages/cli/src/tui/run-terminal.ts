import type { PromptInput } from '../agent/prompt-run.ts'

/** `curfew` on a terminal: an agent to talk to. Returns the exit code. */
export async function runTerminal(input: PromptInput): Promise<number> {
  const { TerminalProgram } = await import('./app/terminal-program.tsx')
  return await new TerminalProgram(input).run()
}
