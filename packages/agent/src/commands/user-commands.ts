import { builtInCommands } from './built-in-commands.ts'
import { serverTest } from './command-host.ts'
import { expandArguments } from './expand-arguments.ts'
import { findMentions } from './find-mentions.ts'
import { FileError, lineField, readFrontMatter } from './front-matter.ts'
import {
  type CommandFile,
  type CommandProblem,
  type CommandRoot,
  loadCommandFiles,
} from './read-command-files.ts'
import { defineCommand, type SlashCommand } from './slash-command.ts'
import { findCommand } from './slash-help.ts'

export interface UserCommands {
  readonly commands: readonly SlashCommand[]
  readonly problems: readonly CommandProblem[]
}

/** Loads the user's own commands. A file with a problem is skipped. Of two commands with the same name, the one of the earlier root wins. */
export async function loadUserCommands(roots: readonly CommandRoot[]): Promise<UserCommands> {
  const commands = new Map<string, SlashCommand>()
  const problems: CommandProblem[] = []
  const report = (problem: CommandProblem): void => void problems.push(problem)
  await loadCommandFiles(roots, 'commands', report, (file, source) => {
    const name = nameOf(file, commands)
    commands.set(name, toCommand(name, source, file, report))
  })
  return { commands: [...commands.values()], problems }
}

/** `git/commit.md` is `/git:commit`. */
function nameOf({ segments }: CommandFile, known: ReadonlyMap<string, unknown>): string {
  const invalid = segments.find((segment) => !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(segment))
  if (invalid !== undefined)
    throw new FileError(null, `expected a name of letters, digits and _ . -, got ${JSON.stringify(invalid)}`)
  const name = segments.join(':')
  // In any case: a person who types /SECRET must not send its argument to the model.
  const lower = name.toLowerCase()
  if (findCommand(builtInCommands, lower) !== undefined)
    throw new FileError(null, `/${lower} is a built-in command; rename the file`)
  if (lower.startsWith('mcp__'))
    throw new FileError(null, 'names that start with mcp__ are prompts of MCP servers; rename the file')
  if ([...known.keys()].some((other) => other.toLowerCase() === lower))
    throw new FileError(null, `another file defines /${name}; rename one of them`)
  return name
}

function toCommand(
  name: string,
  source: 'user' | 'project',
  { file, text }: CommandFile,
  report: (problem: CommandProblem) => void,
): SlashCommand {
  const content = readFrontMatter(text)
  for (const [key, { line }] of content.fields) {
    const note = knownFields.includes(key)
      ? undefined
      : (ignoredFields.get(key) ?? 'unknown key; it is ignored')
    if (note !== undefined) report({ severity: 'warning', file, line, message: `${key}: ${note}` })
  }
  const description = lineField(content, 'description', maxFieldLength)
  const hint = lineField(content, 'argument-hint', maxFieldLength)
  const { body } = content
  if (body.trim() === '') throw new FileError(1, 'expected a prompt below the description')
  return defineCommand({
    name,
    summary: description ?? `Send the prompt in ${file}`,
    source,
    arguments: {
      arguments: {
        type: 'rest',
        optional: true,
        summary: 'inserted for $ARGUMENTS and $1 to $9, or added at the end',
        ...(hint !== undefined && { placeholder: hint }),
      },
    },
    run({ host }, { arguments: typed = '' }) {
      // Only what the person typed is resolved: a file must not choose what is read without approval.
      const mentions = findMentions(typed, serverTest(host.mcp))
      return {
        type: 'prompt',
        parts: [{ type: 'text', text: expandArguments(body, typed).trim() }],
        mentions,
      }
    },
  })
}

const knownFields = ['description', 'argument-hint']
/** Fields that other programs know. */
const ignoredFields: ReadonlyMap<string, string> = new Map([
  ['model', 'is ignored; switch the model with /model'],
  ['allowed-tools', 'is ignored: a file of prompts cannot allow calls; use /approve'],
])

const maxFieldLength = 200
