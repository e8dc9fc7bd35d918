import { CurfewError } from '@curfew/core'
import type { UserPart } from '../history/history-item.ts'
import { type McpHost, type McpPrompt, type McpPromptMessage, serverTest } from './command-host.ts'
import { findMentions } from './find-mentions.ts'
import { oneLine } from './one-line.ts'
import { type CommandResult, defineCommand, type SlashCommand } from './slash-command.ts'
import { splitWords } from './split-words.ts'
import { toUserParts } from './to-user-parts.ts'

const maxPrompts = 1_000

/** The prompts of MCP servers as `/mcp__server__prompt`. Their names and descriptions come from the servers. */
export function mcpPromptCommands(mcp: McpHost | undefined): SlashCommand[] {
  const prompts = mcp?.prompts().slice(0, maxPrompts) ?? []
  return prompts
    .filter(({ name }) => /^mcp__[A-Za-z0-9_.-]{1,128}$/.test(name))
    .map((prompt) =>
      defineCommand({
        name: prompt.name,
        summary: oneLine(prompt.description ?? '') || 'Send a prompt of an MCP server',
        source: 'mcp',
        arguments: {
          arguments: { type: 'rest', optional: true, summary: describeArguments(prompt) },
        },
        run: ({ signal }, args) => run(mcp!, prompt, args.arguments ?? '', signal),
      }),
    )
}

async function run(
  mcp: McpHost,
  prompt: McpPrompt,
  typed: string,
  signal: AbortSignal,
): Promise<CommandResult> {
  const messages = await mcp.getPrompt(prompt.name, readArguments(prompt, typed), signal)
  // Only what the person typed is resolved: a server must not choose files to read.
  const mentions = findMentions(typed, serverTest(mcp))
  return { type: 'prompt', parts: messages.flatMap(partsOf), mentions }
}

/** `name=value`, or values in the order of the prompt's arguments. */
function readArguments(prompt: McpPrompt, typed: string): Record<string, string> {
  const values = new Map<string, string>()
  const declared = prompt.arguments.map(({ name }) => name)
  for (const word of splitWords(typed)) {
    const at = word.indexOf('=')
    const isPair = at > 0 && declared.includes(word.slice(0, at))
    const name = isPair ? word.slice(0, at) : declared.find((one) => !values.has(one))
    if (name === undefined || values.has(name))
      throw invalid(prompt, `unexpected argument ${JSON.stringify(word)}`)
    values.set(name, isPair ? word.slice(at + 1) : word)
  }
  const missing = prompt.arguments.find(({ name, required }) => required && !values.has(name))
  if (missing !== undefined) throw invalid(prompt, `expected ${oneLine(missing.name)}`)
  return Object.fromEntries(values)
}

function invalid(prompt: McpPrompt, problem: string): CurfewError {
  return new CurfewError(
    'INVALID_PARAMS',
    `/${prompt.name}: ${problem}; its arguments: ${describeArguments(prompt)}`,
  )
}

function describeArguments({ arguments: args }: McpPrompt): string {
  const names = args.map(({ name, required }) => (required ? oneLine(name) : `[${oneLine(name)}]`))
  return names.join(' ') || 'none'
}

/** The history contains only what this conversation's model wrote, so a server's example of an answer is text of the person. */
function partsOf({ role, parts }: McpPromptMessage): UserPart[] {
  const converted = toUserParts(parts)
  return role === 'assistant' ? [{ type: 'text', text: 'Example of an answer:' }, ...converted] : converted
}
