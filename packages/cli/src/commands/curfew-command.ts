import { type Command, defineCommand } from '../command.ts'
import { approvalsCommand } from './approvals-command.ts'
import { callCommand } from './call-command.ts'
import { completionCommand } from './completion-command.ts'
import { configCommand } from './config-command.ts'
import { demoCommand } from './demo-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { helpCommand } from './help-command.ts'
import { initCommand } from './init-command.ts'
import { mcpCommand } from './mcp-command.ts'
import { modelsCommand } from './models-command.ts'
import { newCommand } from './new-command.ts'
import { reviewCommand } from './review-command.ts'
import { secretCommand } from './secret-command.ts'
import { timeoutCommand } from './timeout-command.ts'
import { toolsCommand } from './tools-command.ts'
import { trustCommand } from './trust-command.ts'

/** Every command. Declarations are small: only the command that runs loads its implementation. */
export const curfewCommand: Command = defineCommand({
  name: 'curfew',
  summary: "Run AI agents' tools so that every call ends",
  usage: ['COMMAND [ARGUMENTS]', '--version'],
  options: {
    version: { type: 'boolean', short: 'v', summary: 'Print the version' },
  },
  subcommands: [
    approvalsCommand,
    callCommand,
    completionCommand,
    configCommand,
    demoCommand,
    doctorCommand,
    helpCommand,
    initCommand,
    mcpCommand,
    modelsCommand,
    newCommand,
    reviewCommand,
    secretCommand,
    timeoutCommand,
    toolsCommand,
    trustCommand,
  ],
  notes: ['curfew COMMAND --help describes a command in detail.'],
})
