import { findMentions, type Mention } from './find-mentions.ts'

/** What a person typed. */
export type TypedInput = TypedPrompt | TypedCommand | TypedShellCommand

export interface TypedPrompt {
  readonly type: 'prompt'
  /** As typed, except for the escape at its start. */
  readonly text: string
  readonly mentions: readonly Mention[]
}

/** `/name args`. The command may not exist. */
export interface TypedCommand {
  readonly type: 'command'
  /** Without the slash. */
  readonly name: string
  /** Everything after the name, trimmed. */
  readonly args: string
}

/** `!command`. */
export interface TypedShellCommand {
  readonly type: 'shell'
  readonly command: string
}

/**
 * Decides what a person means by one or more lines:
 * - `/word` at the start is a command, whether it exists or not: a mistyped `/secret` must not be sent to the model. A word with a second
 *   slash is a path, and what does not start with a letter or digit is text (`/`, `/*`, `/?` is help).
 * - `!word` at the start runs a command. `![` is the image of a Markdown text.
 * - `\/` and `\!` escape both. `//word` escapes a command, too; other text that starts with `//` is a comment or an address.
 * - Everything else is a prompt.
 */
export function parseInput(text: string, isServer?: (server: string) => boolean): TypedInput {
  const trimmed = text.trim()
  const command = parseCommand(trimmed)
  if (command !== null) return command
  const [, shell] = /^!\s*([^\s[].*)$/s.exec(trimmed) ?? []
  if (shell !== undefined) return { type: 'shell', command: shell }
  const prompt = unescapeStart(text)
  return { type: 'prompt', text: prompt, mentions: findMentions(prompt, isServer) }
}

function parseCommand(text: string): TypedCommand | null {
  const [, name, args] = /^\/([\p{L}\p{N}_][^\s/]*|\?)(?:\s+(.*))?$/su.exec(text) ?? []
  return name === undefined ? null : { type: 'command', name, args: args ?? '' }
}

function unescapeStart(text: string): string {
  const at = text.length - text.trimStart().length
  const isEscaped =
    /^\\[/!]/.test(text.slice(at, at + 2)) ||
    (text.startsWith('//', at) && parseCommand(text.slice(at + 1).trimEnd()) !== null)
  return isEscaped ? text.slice(0, at) + text.slice(at + 1) : text
}
