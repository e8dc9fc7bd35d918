import type { Answer, Question, QuestionHandler, Runtime } from '@curfew/core'
import { discardTyped } from '../../ask/discard-typed.ts'
import { readMasked } from '../../ask/read-masked.ts'
import { questionText } from '../../ask/terminal-questions.ts'
import { withTerminal } from '../../ask/with-terminal.ts'
import { oneLine } from '../../terminal.ts'
import { openForm } from '../questions/open-form.ts'
import { answerForm, describeForm } from './spoken-form.ts'
import type { TerminalLines } from './terminal-lines.ts'

export interface AskOptions {
  readonly lines: Pick<TerminalLines, 'pause' | 'resume' | 'next'>
  /** Writes lines for the person. */
  readonly show: (lines: readonly string[]) => void
  /** `null` until it is known. */
  readonly runtime: () => Runtime | null
  readonly columns: number
}

/** Asks questions one after the other, as lists of words that are answered with a line. What was typed before is dropped. */
export function askInLines(options: AskOptions): QuestionHandler {
  return (question, { signal }) =>
    withTerminal(async () => {
      if (signal.aborted) return undefined
      const { lines } = options
      lines.pause()
      await discardTyped()
      lines.resume()
      return await ask(question, signal as AbortSignal, options)
    })
}

async function ask(question: Question, signal: AbortSignal, options: AskOptions): Promise<Answer> {
  const { show, runtime, columns } = options
  const form = openForm(question, (rule, uid) => runtime()?.rules.covers(rule, uid) ?? false)
  const open = runtime()?.getSnapshot().questions.length ?? 1
  show([
    open > 1 ? `Question, ${open} are open:` : 'Question:',
    ...questionText(question, columns).split('\n'),
  ])
  let shown: unknown = null
  while (!signal.aborted) {
    if (form.snapshot !== shown) show(describeForm(form.snapshot))
    shown = form.snapshot
    const typed = await read(question, signal, options)
    if (typed === null) return undefined
    const reaction = answerForm(form, typed)
    if (reaction?.kind === 'answer') return reaction.answer
    if (reaction === null) show([`${JSON.stringify(oneLine(typed))} is not one of the answers.`])
  }
  return undefined
}

async function read(question: Question, signal: AbortSignal, { lines }: AskOptions): Promise<string | null> {
  if (question.kind !== 'secret') return await lines.next(signal)
  lines.pause()
  try {
    return await readMasked(`${oneLine(question.key)}: `, signal)
  } finally {
    lines.resume()
  }
}
