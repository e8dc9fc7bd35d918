import type { Answer, Question, QuestionHandler } from '@curfew/core'
import { approvalMessage, approvalText, escapeInvisible } from '@curfew/core/internal'
import { clearLine, count, oneLine, wrap } from '../terminal.ts'
import { foldLine } from '../tui/questions/fold-line.ts'
import { discardTyped } from './discard-typed.ts'
import { readLine } from './read-line.ts'
import { readMasked } from './read-masked.ts'
import { withTerminal } from './with-terminal.ts'

/** Asks questions on the terminal; `undefined` if there is none. */
export function terminalQuestions(): QuestionHandler | undefined {
  if (!process.stderr.isTTY || !process.stdin.isTTY) return undefined
  return (question, { signal }) =>
    withTerminal(async () => {
      if (question.kind === 'approval') await discardTyped()
      return signal.aborted ? undefined : await ask(question, signal)
    })
}

/** An aborted signal closes the prompt, since an open one would keep the process alive. */
async function ask(question: Question, signal: AbortSignal): Promise<Answer> {
  process.stderr.write(clearLine)
  if (!(await showAll(question, signal))) return 'no'
  if (question.kind === 'secret') {
    const secret = await readMasked(`${oneLine(question.key)}: `, signal)
    return secret === null || secret === '' ? 'no' : { secret }
  }
  if (question.kind === 'input') {
    const { choices } = question
    return asText(choices === null ? await readLine('> ', signal) : await readChoice(choices, signal))
  }
  const { answers, read } = confirmation(question)
  return read((await readLine(`[${answers}] `, signal)) ?? '')
}

/** Prints the question with its choices. It must not have scrolled away when it is answered: false if it was denied before that. */
async function showAll(question: Question, signal: AbortSignal): Promise<boolean> {
  // Some terminals have no size.
  const [columns, rows] = [process.stderr.columns || 80, process.stderr.rows || 24]
  const choices = question.kind === 'input' ? (question.choices ?? []) : []
  const lines = questionText(question, columns)
    .split('\n')
    .concat(choices.map((choice, index) => `  ${index + 1}  ${oneLine(choice)}`))
    .flatMap((line) => foldLine(line, columns))
  // The last row is for the prompt.
  const page = lines.length >= rows ? Math.max(1, rows - 2) : lines.length
  for (let shown = page; ; shown += page) {
    process.stderr.write(`${lines.slice(shown - page, shown).join('\n')}\n`)
    if (shown >= lines.length) return true
    const typed = await readLine(`[Enter: ${count(lines.length - shown, 'more line')}, n: no] `, signal)
    if (typed === null || /^no?$/i.test(typed.trim())) return false
    await discardTyped()
  }
}

/** What a person can type, and what it means. */
export function confirmation(question: Extract<Question, { kind: 'approval' | 'secret-use' }>): {
  readonly answers: string
  read(typed: string): Answer
} {
  const isApproval = question.kind === 'approval'
  // A restriction is asked about each time.
  const canRemember = isApproval && question.restriction === null
  return {
    answers: canRemember ? 'y/N/always' : 'y/N',
    read(typed) {
      if (canRemember && /^always$/i.test(typed)) return 'always'
      if (!/^y(es)?$/i.test(typed)) return 'no'
      return isApproval ? 'once' : 'always'
    },
  }
}

function asText(text: string | null): Answer {
  return text === null ? undefined : { text }
}

/** A number, or the text of a choice. Asks again until it is one of them. */
async function readChoice(choices: readonly string[], signal: AbortSignal): Promise<string | null> {
  for (;;) {
    const typed = (await readLine(`1-${choices.length}> `, signal))?.trim()
    if (typed === undefined) return null
    const chosen =
      choices.find((choice) => choice === typed) ?? choices[/^\d+$/.test(typed) ? Number(typed) - 1 : -1]
    if (chosen !== undefined) return chosen
    process.stderr.write(
      `expected a number from 1 to ${choices.length}, got ${JSON.stringify(oneLine(typed))}\n`,
    )
  }
}

/** Enough for the longest command of `run_command`, also with escapes. */
const maxQuestionLength = 400_000

/** The arguments of a call are not rewrapped, because a changed space could change what runs. Other lines are wrapped one by one, with their indentation. */
export function questionText(question: Question, columns: number): string {
  if (question.kind === 'approval') {
    const { tool, params, restriction, preview } = question
    const message = approvalMessage(tool, params, restriction ?? undefined, maxQuestionLength)
    return escapeInvisible(approvalText({ message, preview }))
  }
  return question.message
    .split('\n')
    .flatMap((line) => {
      const indentation = /^ {0,8}/.exec(line)![0]
      return wrap(line, columns - indentation.length).map((part) => `${indentation}${part}`)
    })
    .join('\n')
}
