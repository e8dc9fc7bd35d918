import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { groupDigits } from '../group-digits.ts'
import { count, hang, oneLine } from '../terminal.ts'
import type { NoSuggestion, Suggestion } from './suggest-timeout.ts'

/** Each suggestion with its reasons. */
export function suggestReport(
  suggestions: readonly Suggestion[],
  others: readonly NoSuggestion[],
  columns: number | undefined,
): string[] {
  const blocks = suggestions.map((suggestion) => describe(suggestion, columns))
  const rest = remarks(suggestions, others).flatMap((remark) => hang('', remark, columns))
  return [...blocks, rest].flatMap((block, index) =>
    index === 0 || block.length === 0 ? block : ['', ...block],
  )
}

function describe(suggestion: Suggestion, columns: number | undefined): string[] {
  const { tool, timeoutMs, current, basis, cut, saved } = suggestion
  const calls = `${groupDigits(basis.calls)} successful calls`
  const isShorter = timeoutMs < current.timeoutMs
  const facts = [
    `now ${formatDuration(current.timeoutMs)}, ${current.setBy}`,
    basis.kind === 'p99'
      ? `99 % of ${calls} took at most ${formatDuration(basis.ms)}`
      : `the longest of ${calls} took ${formatDuration(basis.ms)}`,
    describeTimeouts(suggestion),
    isShorter
      ? `would have cut off ${cut.calls === 0 ? 'no successful call' : `${count(cut.calls, 'successful call')} (${share(cut.share)})`}`
      : '',
    saved.calls === 0
      ? ''
      : `would have saved ${formatDuration(saved.ms)} in ${count(saved.calls, 'call')} that failed`,
  ].filter((fact) => fact !== '')
  const title = `${styleText('bold', oneLine(tool))}  ${styleText('green', formatDuration(timeoutMs))}`
  return [title, ...facts.flatMap((fact) => hang('  ', fact, columns, 4))]
}

function describeTimeouts({ timedOut, timeoutMs, current }: Suggestion): string {
  if (timedOut.calls === 0) return ''
  const fact = `${count(timedOut.calls, 'call')} (${share(timedOut.share)}) timed out`
  if (timeoutMs > current.timeoutMs) return `${fact}, so some need more time than that`
  return `${fact} far above that; if they should succeed, they need a longer timeout instead`
}

/** Why the other tools have no suggestion: each of a few, otherwise only their number. */
function remarks(suggestions: readonly Suggestion[], others: readonly NoSuggestion[]): string[] {
  if (suggestions.length === 0 && others.length <= 3)
    return others.map(({ tool, reason }) => `${oneLine(tool)}: ${reason}`)
  const few = others.filter(({ kind }) => kind === 'few').length
  const fits = others.filter(({ kind }) => kind === 'fits').length
  const unclear = others.filter(({ kind }) => kind === 'unclear' || kind === 'capped')
  const summary = [
    fits === 0 ? '' : `the timeout of ${count(fits, 'other tool')} fits`,
    few === 0 ? '' : `${count(few, 'tool')} ${few === 1 ? 'has' : 'have'} too few successful calls`,
  ].filter((part) => part !== '')
  return [
    ...unclear.map(({ tool, reason }) => `${oneLine(tool)}: ${reason}`),
    ...(summary.length === 0 ? [] : [summary.join('; ')]),
  ]
}

/** `0.2 %` */
function share(value: number): string {
  const percent = value * 100
  return percent > 0 && percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1).replace(/\.0$/, '')} %`
}
