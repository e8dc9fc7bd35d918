import type { CommandHost } from './command-host.ts'
import { type CommandResult, defineCommand, type SlashCommand } from './slash-command.ts'
import { splitWords } from './split-words.ts'

const defaultLimit = 20
const maxLimit = 1_000
const filters = [
  { value: '--failed', description: 'only calls that ended with an error or were lost' },
  { value: '--session', description: 'only calls of this conversation' },
]
const idPattern = /^[a-z0-9]+-\d+$/i

/** `/log [COUNT] [--failed] [--session]`, or `/log ID`. */
export const logCommand: SlashCommand = defineCommand({
  name: 'log',
  summary: 'List the recorded calls of this project, or show one in full',
  arguments: {
    words: {
      type: 'rest',
      optional: true,
      placeholder: '[ID|COUNT] [--failed] [--session]',
      summary: `the id of a call, such as m4tq-17; or how many calls to list, ${defaultLimit} by default`,
      complete: () => filters,
    },
  },
  isAvailable: ({ log }) => log !== undefined,
  run: ({ host, signal }, { words = '' }) => runLogCommand(host, splitWords(words), signal),
})

async function runLogCommand(
  { log }: CommandHost,
  words: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const query = { failed: false, session: false, limit: defaultLimit }
  for (const word of words) {
    if (word === '--failed') query.failed = true
    else if (word === '--session') query.session = true
    else if (/^\d{1,9}$/.test(word)) query.limit = Math.max(1, Math.min(maxLimit, Number(word)))
    else if (idPattern.test(word) && words.length === 1) return await log!.show(word, signal)
    else return { type: 'error', message: unexpected(word) }
  }
  return await log!.list(query, signal)
}

function unexpected(word: string): string {
  if (idPattern.test(word)) return '/log: an id is shown alone; expected nothing else'
  return `/log: expected an id such as m4tq-17, a number, --failed or --session, got ${JSON.stringify(word)}`
}
