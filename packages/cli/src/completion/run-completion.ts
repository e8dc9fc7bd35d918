import { allCommands, type NamedCommand } from '../command-line/all-commands.ts'
import { curfewCommand } from '../commands/curfew-command.ts'
import { write } from '../write.ts'
import { bashCompletion } from './bash-completion.ts'
import { fishCompletion } from './fish-completion.ts'
import { zshCompletion } from './zsh-completion.ts'

type Shell = 'bash' | 'zsh' | 'fish'

const scripts: Readonly<Record<Shell, (commands: readonly NamedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** `curfew completion`. Returns the exit code. */
export async function runCompletion(shell: Shell): Promise<number> {
  write(scripts[shell](allCommands(curfewCommand)))
  return 0
}
