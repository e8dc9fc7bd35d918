import type { AgentMode, AgentSnapshot, ContextUsage } from '@curfew/agent'
import { cut, oneLine, widthOf } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'

export interface Status {
  readonly model: string | null
  readonly mode: AgentMode
  readonly context: ContextUsage
  /** The calls of the current turn and how many it may have; `null` if no call was made. */
  readonly calls: { readonly made: number; readonly limit: number | null } | null
  /** `null` without a budget. */
  readonly budget: string | null
  readonly running: number
  readonly background: number
  readonly warnings: number
}

/** The last line of the terminal. What matters least is left out first where it does not fit. */
export function statusText(status: Status, width: number, theme: Theme): string {
  const { model, mode, context, calls, budget, running, background, warnings } = status
  const modeRole = mode === 'plan' ? theme.accent : mode === 'accept-edits' ? theme.warning : theme.muted
  const parts: (readonly [text: string, style: (text: string) => string, rank: number])[] = []
  const add = (text: string, style: (text: string) => string, rank: number): void =>
    void parts.push([text, style, rank])
  add(modeNames[mode], modeRole, 0)
  add(model === null ? 'no model' : oneLine(model), model === null ? theme.warning : theme.muted, 3)
  if (running > 0) add(`${running} running`, theme.accent, 1)
  if (background > 0) add(`${background} in background`, theme.accent, 2)
  const used = contextText(context)
  if (used !== null) add(used, (context.share ?? 0) > 0.8 ? theme.warning : theme.muted, 4)
  if (calls !== null) add(callsText(calls), theme.muted, 5)
  if (budget !== null) add(budget, theme.muted, 6)
  if (warnings > 0) add(`${warnings} warning${warnings === 1 ? '' : 's'} (ctrl-g)`, theme.warning, 2)
  return fit(parts, width)
}

const modeNames: Record<AgentMode, string> = {
  ask: 'ask before changes',
  'accept-edits': 'edits allowed',
  plan: 'plan only',
}

const separator = ' · '

function fit(
  parts: readonly (readonly [text: string, style: (text: string) => string, rank: number])[],
  width: number,
): string {
  const kept = [...parts]
  const total = (): number =>
    kept.reduce((sum, [text]) => sum + widthOf(text), 0) + separator.length * (kept.length - 1)
  while (kept.length > 1 && total() > width) {
    const least = kept.reduce((worst, part) => (part[2] > worst[2] ? part : worst))
    kept.splice(kept.indexOf(least), 1)
  }
  if (kept.length === 1) return kept[0]![1](cut(kept[0]![0], width))
  return kept.map(([text, style]) => style(text)).join(separator)
}

function contextText({ tokens, share }: AgentSnapshot['context']): string | null {
  if (tokens === 0) return null
  if (share !== null) return `context ${Math.round(share * 100)} %`
  return `${tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : tokens} tokens`
}

function callsText({ made, limit }: { readonly made: number; readonly limit: number | null }): string {
  return limit === null ? `${made} call${made === 1 ? '' : 's'}` : `${made}/${limit} calls`
}
