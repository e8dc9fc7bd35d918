import type { PromptInput } from '../agent/prompt-run.ts'
import { readUiSettings } from './read-ui-settings.ts'

/** `curfew` on a terminal: an agent to talk to. Returns the exit code. */
export async function runTerminal(input: PromptInput): Promise<number> {
  const { theme, screenReader } = await readUiSettings(input.set)
  if (screenReader || input['screen-reader'] || !canDraw()) {
    const { PlainTerminal } = await import('./screen-reader/plain-terminal.ts')
    return await new PlainTerminal(input).run()
  }
  const { TerminalProgram } = await import('./app/terminal-program.tsx')
  return await new TerminalProgram(input, theme).run()
}

/** Ink knows the variable, too. */
function canDraw(): boolean {
  const { TERM, INK_SCREEN_READER } = process.env
  return process.stdout.isTTY && TERM !== 'dumb' && INK_SCREEN_READER !== 'true'
}
