import type { Answer, Question, QuestionHandler } from '@curfew/core'
import { clearLine, wrap } from '../terminal.ts'
import { readLine } from './read-line.ts'
import { readMasked } from './read-masked.ts'
import { withTerminal } from './terminal-turn.ts'

/** Puts questions to whoever sits at the terminal; where there is none, nobody is asked. */
export function terminalQuestions(): QuestionHandler | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return (question, { signal }) =>
    withTerminal(async () => (signal.aborted ? undefined : await ask(question)))
}

async function ask(question: Question): Promise<Answer> {
  const lines = wrap(question.message, process.stderr.columns || 80)
  process.stderr.write(`${clearLine}${lines.join('\n')}\n`)
  if (question.kind === 'secret') {
    const secret = await readMasked(`${question.key}: `)
    return secret === null || secret === '' ? 'no' : { secret }
  }
  if (question.kind === 'input') {
    const text = await readLine(question.choices === null ? '> ' : `${question.choices.join(', ')}> `)
    return text === null ? undefined : { text }
  }
  const yes = /^y(es)?$/i.test((await readLine('[y/N] ')) ?? '')
  if (question.kind === 'secret-use') return yes ? 'always' : 'no'
  return yes ? 'once' : 'no'
}
