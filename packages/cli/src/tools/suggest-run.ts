import { join } from 'node:path'
import { type Config, loadConfig } from '@curfew/extensions'
import { readJournal, type ToolTimes } from '@curfew/journal'
import { UsageError } from '../command.ts'
import { quote } from '../completion/quote.ts'
import { rejectInvalidSettings } from '../config/reject-invalid-settings.ts'
import { runConfigSet } from '../config/run-config-set.ts'
import { durationString } from '../duration-string.ts'
import { advise } from '../runner-command.ts'
import { shortPath } from '../short-path.ts'
import { starterRoot } from '../starter-root.ts'
import { stateHome } from '../state-home.ts'
import { hang, oneLine, terminalWidth } from '../terminal.ts'
import { write, writeError } from '../write.ts'
import { currentLimit, decidingPattern } from './suggest-current-limit.ts'
import { suggestReport } from './suggest-report.ts'
import { type NoSuggestion, type Suggestion, suggestTimeout } from './suggest-timeout.ts'

interface SuggestInput {
  readonly filter: string | undefined
  readonly write: boolean
  readonly project: boolean
  readonly set: readonly string[]
  readonly json: boolean
}

/** `curfew tools --suggest`. Returns the exit code. */
export async function runSuggest(input: SuggestInput): Promise<number> {
  const { filter, project, json } = input
  const config = await loadConfig({}, input.set)
  rejectInvalidSettings('tools', config.problems)
  const reader = readJournal({
    stateFolder: stateHome(),
    // Your own settings apply to all projects, so all calls count.
    project: project ? config.roots.projectFolder : null,
    warn: (message) => writeError(`warning: ${oneLine(message)}\n`),
  })
  const times = reader.toolTimes({ tools: filter === undefined ? undefined : [filter] })
  if (filter !== undefined && times.length === 0)
    throw new UsageError(
      `curfew tools: no calls of a tool that matches ${JSON.stringify(filter)} are recorded; curfew stats lists those that are`,
    )
  const all = times.filter(isSettable).map((one) => suggest(one, config))
  const suggestions = all.filter((one) => 'timeoutMs' in one).sort(byTimeSaved)
  const others = all.filter((one) => 'reason' in one)
  if (!json) show(suggestions, others, input)
  const isWritten = input.write && suggestions.length > 0
  if (isWritten) {
    const assignments = suggestions.map(
      ({ tool, timeoutMs }) => `tools.${tool}.timeout=${durationString(timeoutMs)}`,
    )
    await runConfigSet({ assignments, project, quiet: json })
  }
  if (json) write(`${JSON.stringify({ suggestions, others, written: isWritten })}\n`)
  return 0
}

/**
 * Keys of `tools` are patterns, but names of tools contain no wildcards; models invent names of tools that do not exist. Background tasks
 * have a setting of their own.
 */
function isSettable({ tool, background, successMs, failures }: ToolTimes): boolean {
  const exists = successMs.length > 0 || failures.some(({ code }) => code !== 'TOOL_NOT_FOUND')
  return exists && !background && /^[A-Za-z0-9_./-]{1,256}$/.test(tool)
}

function suggest(times: ToolTimes, config: Config): Suggestion | NoSuggestion {
  const { tool } = times
  const limit = currentLimit(times, config)
  if (typeof limit === 'string')
    return { tool, kind: times.successMs.length === 0 ? 'few' : 'unclear', reason: limit }
  const suggestion = suggestTimeout(times, limit)
  const pattern = decidingPattern(tool, config)
  // The longest pattern wins, even over the name itself.
  if ('timeoutMs' in suggestion && pattern !== null && pattern.length > tool.length)
    return {
      tool,
      kind: 'unclear',
      reason: `tools.${pattern}.timeout takes precedence over a setting for this tool; change it there`,
    }
  return suggestion
}

function byTimeSaved(a: Suggestion, b: Suggestion): number {
  return b.saved.ms - a.saved.ms || (a.tool < b.tool ? -1 : 1)
}

function show(
  suggestions: readonly Suggestion[],
  others: readonly NoSuggestion[],
  input: SuggestInput,
): void {
  const columns = terminalWidth(process.stdout)
  const lines = suggestReport(suggestions, others, columns)
  const file = shortPath(join(starterRoot(!input.project).path, 'config.json'))
  const command = [
    'curfew tools --suggest --write',
    input.project ? '--project' : '',
    shellWord(input.filter ?? ''),
  ]
  const what = suggestions.length === 1 ? 'this timeout' : 'these timeouts'
  const advice = `to write ${what} to ${file}: ${advise(command.filter((part) => part !== '').join(' '))}`
  if (suggestions.length === 0) lines.unshift(noSuggestions(others))
  if (suggestions.length > 0 && !input.write) lines.push('', ...hang('', advice, columns))
  write(`${lines.join('\n')}\n${input.write && suggestions.length > 0 ? '\n' : ''}`)
}

function noSuggestions(others: readonly NoSuggestion[]): string {
  if (others.length === 0) return 'no calls are recorded yet'
  const isKnown = others.every(({ kind }) => kind === 'fits' || kind === 'capped')
  return isKnown ? 'no timeout needs to be changed' : 'there are no suggestions'
}

function shellWord(text: string): string {
  const word = oneLine(text)
  return /^[\w./-]*$/.test(word) ? word : quote(word)
}
