import type { HistoryItem } from '@curfew/agent'
import { cut, oneLine } from '../../terminal.ts'
import type { Layout } from './transcript.ts'

type HistoryEntry =
  | { readonly type: 'person' | 'answer'; readonly text: string }
  | { readonly type: 'calls' | 'note'; readonly lines: (layout: Layout) => readonly string[] }

/** More than this is of little use on a screen; the model has all of it. */
const maxItems = 100

/** Precedes the content of what was mentioned, which was not typed. */
const isMention = /^Content of @.*:$/

/** What a continued conversation shows: its messages, and one line for each call. */
export function historyEntries(items: readonly HistoryItem[]): HistoryEntry[] {
  const hidden = items.length - maxItems
  const shown = hidden > 0 ? items.slice(hidden) : items
  const entries = shown.flatMap(entriesOf)
  if (hidden <= 0) return entries
  return [note(`… ${hidden} earlier messages are not shown`), ...entries]
}

function entriesOf(item: HistoryItem): HistoryEntry[] {
  switch (item.type) {
    case 'user': {
      const mentions = item.parts.findIndex((part) => part.type === 'text' && isMention.test(part.text))
      const text = (mentions < 0 ? item.parts : item.parts.slice(0, mentions))
        .map((part) => (part.type === 'text' ? part.text : `[${part.name ?? part.mediaType}]`))
        .join('')
      return item.source === 'summary'
        ? [note('Earlier messages were replaced by a summary.')]
        : [{ type: 'person', text }]
    }
    case 'assistant':
      return item.parts.flatMap((part): HistoryEntry[] =>
        part.type === 'text' && part.text.trim() !== '' ? [{ type: 'answer', text: part.text }] : [],
      )
    case 'results':
      return [{ type: 'calls', lines: (layout) => item.results.map((result) => resultLine(result, layout)) }]
  }
}

type Results = Extract<HistoryItem, { type: 'results' }>['results']

function resultLine({ name, status, code, content }: Results[number], { width, theme }: Layout): string {
  const isSuccess = status === 'success'
  const mark = isSuccess ? theme.success('✓') : theme.danger('✗')
  const detail = isSuccess ? content : `${code ?? status}`
  const shownName = oneLine(name)
  return `${mark} ${cut(shownName, width - 2)} ${theme.muted(cut(detail, Math.max(0, width - shownName.length - 4)))}`
}

function note(text: string): HistoryEntry {
  return { type: 'note', lines: ({ theme }) => [theme.muted(text)] }
}
