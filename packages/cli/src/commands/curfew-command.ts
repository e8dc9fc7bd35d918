import { type Command, defineCommand, flag } from '../command.ts'
import { acpCommand } from './acp-command.ts'
import { approvalsCommand } from './approvals-command.ts'
import { callCommand } from './call-command.ts'
import { completionCommand } from './completion-command.ts'
import { configCommand, initCommand } from './config-command.ts'
import { demoCommand } from './demo-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { helpCommand } from './help-command.ts'
import { logCommand } from './log-command.ts'
import { mcpCommand } from './mcp-command.ts'
import { modelsCommand } from './models-command.ts'
import { newCommand } from './new-command.ts'
import { promptOption, promptOptions } from './prompt-options.ts'
import { cancelCommand, psCommand } from './ps-command.ts'
import { reviewCommand } from './review-command.ts'
import { secretCommand } from './secret-command.ts'
import { sessionsCommand } from './sessions-command.ts'
import { modelOption, setOption } from './shared-options.ts'
import { statsCommand } from './stats-command.ts'
import { timeoutCommand } from './timeout-command.ts'
import { toolsCommand } from './tools-command.ts'
import { trustCommand } from './trust-command.ts'

/** Every command. Declarations are small: only the command that runs loads its implementation. */
export const curfewCommand: Command = defineCommand({
  name: 'curfew',
  summary: "Run AI agents' tools so that every call ends",
  usage: ['[OPTIONS]', '-p PROMPT [OPTIONS]', 'COMMAND [ARGUMENTS]', '--version'],
  options: {
    prompt: promptOption,
    model: { ...modelOption, summary: `Use this model. ${modelOption.summary}` },
    ...promptOptions,
    set: setOption,
    version: flag('Print the version', { short: 'v' }),
  },
  subcommands: [
    acpCommand,
    approvalsCommand,
    callCommand,
    cancelCommand,
    completionCommand,
    configCommand,
    demoCommand,
    doctorCommand,
    helpCommand,
    initCommand,
    logCommand,
    mcpCommand,
    modelsCommand,
    newCommand,
    psCommand,
    reviewCommand,
    secretCommand,
    sessionsCommand,
    statsCommand,
    timeoutCommand,
    toolsCommand,
    trustCommand,
  ],
  notes: ['curfew COMMAND --help describes a command in detail.'],
  examples: {
    "curfew -p 'What does this project do?' --model google:gemini-pro-latest":
      'Ask a model, which can call the tools of this project.',
    "git diff | curfew -p 'Write a commit message' --output json | jq -r .text":
      'Pass data on standard input, and use the answer in a script.',
    "curfew --continue -p 'And now deploy it' --allow script_deploy":
      'Continue the last conversation, and allow one tool.',
  },
  exitCodes: {
    0: 'The model answered',
    1: 'The model failed, or another error occurred',
    2: 'An option or argument is invalid, or no model is configured',
    3: 'A limit was reached: limits.continuations or limits.callsPerTurn',
    4: 'The model repeated the same calls with the same results',
    5: 'The budget is used up',
    6: 'All calls were cancelled, or a person stopped the turn',
    7: 'The quota of the model is exhausted; curfew --continue goes on with the fallback model',
    124: 'A call that was typed (-p "/tool ...") timed out',
    130: 'Interrupted by Ctrl-C; 129 and 143 by SIGHUP and SIGTERM, 141 if nobody reads the output',
  },
  usageHint: promptHint,
  guide: 'headless.md',
  async run(input) {
    if (input.prompt === undefined && process.stdin.isTTY)
      return (await import('../tui/run-terminal.ts')).runTerminal(input)
    return (await import('../agent/run-prompt.ts')).runPrompt(input)
  },
})

/** People forget `-p`, or the quotes around the prompt. */
function promptHint(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => arg === '-p' || arg === '--prompt')
  const afterPrompt = at < 0 ? undefined : args[at + 2]
  if (afterPrompt !== undefined && !afterPrompt.startsWith('-'))
    return "Put the prompt in quotes: curfew -p 'two words'."
  return args.length === 1 && /\s/.test(args[0]!) ? `To ask a model, use -p: curfew -p '...'.` : null
}
