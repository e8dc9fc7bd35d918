import type { Style, Theme } from '../theme/theme.ts'
import type { QuestionSnapshot } from './question-snapshot.ts'

/** Which keys do what. `isShort`: without those that the answers show themselves. */
export function hintParts(
  { question, focus, form, isFocusedByTab }: QuestionSnapshot,
  theme: Theme,
  isShort = false,
): readonly { readonly text: string; readonly style: Style }[] {
  if (focus === 'draft')
    return [
      { text: 'Tab: answer', style: theme.accent },
      { text: 'keys go to your draft', style: theme.muted },
    ]
  const keys: string[] = []
  if (form.kind === 'menu') keys.push(...(isShort ? [] : menuKeys(form)))
  else keys.push(`Enter: ${enterKeys[form.kind]}`)
  if (form.kind === 'secret') keys.push('Ctrl-U: clear', 'Esc: decline')
  else if (form.kind === 'rule' || form.kind === 'reason') keys.push('Esc: back')
  else if (!isFocusedByTab) keys.push(question.callUid === null ? 'Esc: cancel' : 'Esc: cancel the turn')
  const leadsBack = isFocusedByTab && (form.kind === 'menu' || form.kind === 'text')
  keys.push(leadsBack ? 'Tab or Esc: draft' : 'Tab: draft')
  return keys.map((text) => ({ text, style: theme.muted }))
}

const enterKeys = { rule: 'allow', reason: 'deny', text: 'send', secret: 'store' } as const

function menuKeys({ entries }: Extract<QuestionSnapshot['form'], { kind: 'menu' }>): readonly string[] {
  if (entries.length === 0) return []
  return [`↑↓ Enter, or its ${entries[0]!.letter === '' ? 'number' : 'letter'}`]
}
