import { saveMemoryName } from '../memory/save-memory-tool.ts'
import type { CommandAgent, MemoryHost } from './command-host.ts'
import { oneLine } from './one-line.ts'
import { type CommandResult, defineCommand, type SlashCommand } from './slash-command.ts'

/** `/memory`, `/memory refresh`, `/memory add FACT`. */
export const memoryCommand: SlashCommand = defineCommand({
  name: 'memory',
  summary: 'Show the AGENTS.md files that are used, read them again, or add a fact',
  arguments: {
    action: {
      type: 'word',
      optional: true,
      summary: 'what to do; without it, the files are listed',
      choices: ['refresh', 'add'],
    },
    fact: { type: 'rest', optional: true, summary: 'for add: one sentence' },
  },
  isAvailable: ({ memory }) => memory !== undefined,
  async run({ host, signal }, { action, fact }) {
    const memory = host.memory!
    if (action === 'add') {
      if (fact === undefined) return { type: 'error', message: '/memory add: expected a fact' }
      return await add(host.agent, fact, signal)
    }
    if (fact !== undefined)
      return {
        type: 'error',
        message: '/memory refresh: expected nothing after it; to save a fact: /memory add',
      }
    if (action === 'refresh') memory.refresh()
    return list(memory)
  },
})

async function add(agent: CommandAgent, fact: string, signal: AbortSignal): Promise<CommandResult> {
  const result = await agent.runAsPerson({ name: saveMemoryName, params: { fact } }, { signal })
  if (result.status === 'success') return { type: 'text', text: String(result.value) }
  return { type: 'error', message: result.content }
}

function list(memory: MemoryHost): CommandResult {
  const rows = memory
    .files()
    .map(({ path, source, bytes, isCut }) => [
      oneLine(path),
      source,
      `${bytes} bytes${isCut ? ', of which the beginning is used' : ''}`,
    ])
  const notes = memory.notices().map(oneLine)
  if (rows.length === 0) notes.unshift('There are no AGENTS.md files.')
  return {
    type: 'table',
    columns: ['file', 'from', 'size'],
    rows,
    ...(notes.length > 0 && { note: notes.join('\n') }),
  }
}
