import type { Theme } from '../theme/theme.ts'
import { editorLines } from './editor-lines.ts'
import { menuLines } from './menu-lines.ts'
import { prose } from './question-body.ts'
import type { FormSnapshot, RuleSnapshot } from './question-form.ts'

export interface FormLinesOptions {
  readonly width: number
  readonly maxRows: number
  readonly theme: Theme
  /** Whether keys answer. */
  readonly isReady: boolean
  readonly isCompact: boolean
}

/** How the question can be answered: a menu, or what is being typed. */
export function formLines(form: FormSnapshot, options: FormLinesOptions): string[] {
  const { width, theme, isReady, maxRows } = options
  const editor = {
    width: width - 2,
    maxRows: Math.max(1, Math.min(4, maxRows - 2)),
    theme,
    showCursor: isReady,
  }
  switch (form.kind) {
    case 'menu':
      return menuLines(form, options)
    case 'rule':
      return ruleLines(form, editor, options)
    case 'reason':
      return [
        theme.strong('Why not?') + theme.muted(' (optional)'),
        ...indented(editorLines(form.line, editor)),
      ]
    case 'text':
      return [...prompted(editorLines(form.line, editor), theme), ...warnings(form.problem, options)]
    case 'secret': {
      const cursor = isReady ? theme.selected(' ') : ''
      return [...prompted(['•'.repeat(form.dots) + cursor], theme), ...warnings(form.problem, options)]
    }
  }
}

/** The rule as it will be stored, what it allows, and where it is kept. */
function ruleLines(
  { answer, line, check }: RuleSnapshot,
  editor: Parameters<typeof editorLines>[1],
  { width, theme, isCompact }: FormLinesOptions,
): string[] {
  const title = answer === 'always' ? 'Allow always:' : 'Allow for this turn:'
  const kept =
    answer === 'always'
      ? 'Remembered for this project only, in your own configuration. `curfew approvals` lists and removes it.'
      : 'Until this turn ends. Nothing is stored.'
  const result =
    check.problem === ''
      ? prose(`Allows ${check.meaning}. Matches this call.`, width).map(theme.success)
      : prose(check.problem, width).map(theme.warning)
  return [
    theme.strong(title),
    ...indented(editorLines(line, editor)),
    ...result,
    ...(isCompact ? [] : prose(kept, width).map(theme.muted)),
  ]
}

function indented(rows: readonly string[]): string[] {
  return rows.map((row) => `  ${row}`)
}

function prompted(rows: readonly string[], theme: Theme): string[] {
  return rows.map((row, index) => (index === 0 ? theme.accent('❯ ') + row : `  ${row}`))
}

function warnings(problem: string, { width, theme }: FormLinesOptions): string[] {
  return problem === '' ? [] : prose(problem, width).map(theme.warning)
}
