import { type CallResult, CurfewError } from '@curfew/core'
import { capText, fillTypedArguments, parseTypedArguments } from '@curfew/core/internal'
import type { UserPart } from '../history/history-item.ts'
import type { CommandHost } from './command-host.ts'
import type { CommandResult } from './slash-command.ts'
import { splitWords } from './split-words.ts'
import { fileParts } from './to-user-parts.ts'

/** `/tool NAME ARGUMENTS`: JSON, or `name=value` as in `curfew call`. */
export async function runTypedTool(
  host: CommandHost,
  name: string,
  typed: string,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { parameters } = host.runtime.listTools('brief').find((tool) => tool.name === name) ?? {}
  // JSON contains spaces and quotes of its own.
  const words = /^[{["]/.test(typed) ? [typed] : splitWords(typed)
  const params = fillTypedArguments(parseTypedArguments(words), parameters)
  return await run(host, { name, params }, `the tool ${name} with ${JSON.stringify(params)}`, signal)
}

/** `!command`. */
export async function runTypedShell(
  host: CommandHost,
  command: string,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { runtime, shell = timeoutShell } = host
  if (!runtime.listTools('stub').some(({ name }) => name === shell.tool))
    throw new CurfewError(
      'TOOL_NOT_FOUND',
      `!: expected the tool ${shell.tool}, which runs commands, to be registered; register it, or use /tool with another tool`,
    )
  return await run(
    host,
    { name: shell.tool, params: shell.params(command) },
    `the command ${command}`,
    signal,
  )
}

/** How much of the arguments the model sees. */
const maxDescription = 16_000
/** As long as other tools by default. */
const shellSeconds = 180

const timeoutShell = {
  tool: 'timeout',
  params: (command: string) => ({ command_args: ['/bin/sh', '-c', command], seconds: shellSeconds }),
}

async function run(
  { agent, runtime }: CommandHost,
  call: { readonly name: string; readonly params: unknown },
  what: string,
  signal: AbortSignal,
): Promise<CommandResult> {
  const result = await agent.runAsPerson(call, { signal })
  // A call that was rejected did nothing that the model has to know.
  if (result.timeoutMs !== null)
    agent.addParts(partsOf(capText(runtime.redact(what), maxDescription), result))
  return { type: 'call', result }
}

/** What the model reads with the next request: a message of the person, because the model did not make this call. */
function partsOf(what: string, result: CallResult): UserPart[] {
  const outcome = result.status === 'success' ? 'Its result' : `It ended with ${result.code}`
  const text = `I ran ${what} myself. ${outcome}:\n${result.content}`
  const files = result.status === 'success' ? fileParts(result.parts ?? []) : []
  return [{ type: 'text', text }, ...files]
}
