import { describeToolTimeout, isSecretName } from '@curfew/core/internal'
import { approveCommand } from './approve-command.ts'
import { callsCommand, cancelCommand } from './calls-commands.ts'
import type { CommandHost, ModelHost } from './command-host.ts'
import { memoryCommand } from './memory-command.ts'
import { oneLine } from './one-line.ts'
import { logCommand } from './recorded-calls-command.ts'
import { runTypedTool } from './run-typed-call.ts'
import { showUsage } from './show-usage.ts'
import { type CommandResult, defineCommand, type SlashCommand } from './slash-command.ts'
import { slashHelp } from './slash-help.ts'
import { splitWords } from './split-words.ts'
import { themeCommand } from './theme-command.ts'
import { selectTools, toolNames } from './tool-lists.ts'

const none: CommandResult = { type: 'none' }
const filter = { type: 'word', optional: true, summary: 'part of a name', complete: toolNames } as const

/** In the order of `/help`. */
export const builtInCommands: readonly SlashCommand[] = [
  slashHelp,
  defineCommand({
    name: 'tools',
    summary: 'List the tools',
    arguments: { filter },
    run: ({ host: { runtime } }, { filter }) => ({
      type: 'table',
      columns: ['name', 'description'],
      rows: selectTools(runtime, filter).map(({ name, description = '' }) => [name, oneLine(description)]),
      note: 'To run one: /tool NAME ARGUMENTS',
    }),
  }),
  defineCommand({
    name: 'timeouts',
    summary: 'List the tools with their effective timeouts and where they are set',
    arguments: { filter },
    run: ({ host: { runtime, placeOf = () => undefined } }, { filter }) => ({
      type: 'table',
      columns: ['name', 'timeout', 'set by'],
      rows: selectTools(runtime, filter).map(({ name }) => [
        name,
        ...describeToolTimeout(runtime.timeoutOf(name)!, placeOf),
      ]),
    }),
  }),
  defineCommand({
    name: 'tool',
    summary: 'Run a tool yourself; the model sees the result with your next message',
    arguments: {
      name: { type: 'word', summary: "the tool's name", complete: toolNames },
      arguments: {
        type: 'rest',
        optional: true,
        summary: 'JSON, or name=value pairs separated by spaces',
      },
    },
    run: ({ host, signal }, args) => runTypedTool(host, args.name, args.arguments ?? '', signal),
  }),
  callsCommand,
  cancelCommand,
  logCommand,
  approveCommand,
  defineCommand({
    name: 'secret',
    summary: 'Store a secret; you are asked for its value',
    arguments: { name: { type: 'word', summary: 'the name of the secret, such as GITHUB_TOKEN' } },
    unexpectedArgument: 'expected only the name; you are asked for the value, so that it is not shown',
    isAvailable: ({ storeSecret }) => storeSecret !== undefined,
    async run({ host, signal }, { name }) {
      if (!isSecretName(name)) {
        // It may be the value.
        return error('/secret: expected a name such as GITHUB_TOKEN: letters, digits and _')
      }
      const stored = await host.storeSecret!(name, signal)
      return text(stored ? `${name} is stored` : `${name} was not stored`)
    },
  }),
  defineCommand({
    name: 'model',
    summary: 'Show or switch the model',
    arguments: {
      model: {
        type: 'word',
        optional: true,
        summary: 'a model, as provider:name',
        complete: ({ models }: CommandHost) =>
          models!.list().map(({ name, description }) => ({ value: name, description })),
      },
    },
    isAvailable: ({ models }) => models !== undefined,
    async run({ host, signal }, { model }) {
      const models = host.models!
      if (model === undefined) {
        const choices = models
          .list()
          .map(({ name, description }) => ({ input: `/model ${name}`, description }))
        return { type: 'choices', title: describeModel(models), choices }
      }
      await models.select(model, signal)
      return text(describeModel(models))
    },
  }),
  defineCommand({
    name: 'usage',
    summary: 'Show what the models have used in the last turn and in the conversation',
    run: ({ host }) => showUsage(host.agent),
  }),
  memoryCommand,
  defineCommand({
    name: 'compact',
    summary: 'Replace the older part of the conversation with a summary',
    arguments: {
      instructions: { type: 'rest', optional: true, summary: 'what the summary must keep' },
    },
    isAvailable: ({ compact }) => compact !== undefined,
    run: ({ host, signal }, { instructions = '' }) => host.compact!(instructions, signal),
  }),
  defineCommand({
    name: 'clear',
    aliases: ['new'],
    summary: 'Start a new conversation',
    isAvailable: ({ clear }) => clear !== undefined,
    run: ({ host, signal }) => host.clear!(signal),
  }),
  defineCommand({
    name: 'resume',
    summary: 'Continue an earlier conversation',
    arguments: { id: { type: 'word', optional: true, summary: 'the id of the conversation' } },
    isAvailable: ({ sessions }) => sessions !== undefined,
    async run({ host, signal }, { id }) {
      const sessions = host.sessions!
      if (id !== undefined) return await sessions.resume(id, signal)
      const stored = await sessions.list(signal)
      if (stored.length === 0) return text('There are no earlier conversations.')
      const choices = stored.map(({ id, description }) => ({ input: `/resume ${id}`, description }))
      return { type: 'choices', title: 'Conversations, newest first:', choices }
    },
  }),
  defineCommand({
    name: 'restore',
    summary: 'Undo changes: restore files and conversation from a checkpoint',
    arguments: {
      number: {
        type: 'integer',
        optional: true,
        summary: 'the number of the checkpoint; without it, they are listed',
      },
    },
    isAvailable: ({ checkpoints }) => checkpoints !== undefined,
    async run({ host, signal }, { number }) {
      const checkpoints = host.checkpoints!
      if (number !== undefined) return text(await checkpoints.restore(number, signal))
      const stored = await checkpoints.list()
      if (stored.length === 0) return text('There are no checkpoints of this folder yet.')
      const choices = stored.map(({ number, description }) => ({ input: `/restore ${number}`, description }))
      return { type: 'choices', title: 'Checkpoints, newest first, with what followed:', choices }
    },
  }),
  forwardedCommand('mcp', 'Show the MCP servers, or manage them as curfew mcp does', ({ mcp }) => mcp?.run),
  forwardedCommand('review', 'Review the definitions of the tools', ({ review }) => review),
  forwardedCommand('init', 'Create the configuration of this project', ({ init }) => init),
  themeCommand,
  defineCommand({
    name: 'quit',
    aliases: ['exit'],
    summary: 'End the program',
    isAvailable: ({ quit }) => quit !== undefined,
    run({ host }) {
      host.quit!()
      return none
    },
  }),
]

/** Passes its words to a function of the program. */
function forwardedCommand(
  name: string,
  summary: string,
  runOf: (host: CommandHost) => CommandHost['init'],
): SlashCommand {
  return defineCommand({
    name,
    summary,
    arguments: { arguments: { type: 'rest', optional: true, summary: `those of curfew ${name}` } },
    isAvailable: (host) => runOf(host) !== undefined,
    run: ({ host, signal }, args) => runOf(host)!(splitWords(args.arguments ?? ''), signal),
  })
}

function text(text: string): CommandResult {
  return { type: 'text', text }
}

function error(message: string): CommandResult {
  return { type: 'error', message }
}

function describeModel(models: ModelHost): string {
  const name = models.current()
  return name === null ? 'There is no model.' : `The model is ${name}.`
}
