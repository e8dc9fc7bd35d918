import type { Answer, Question } from '@curfew/core'
import type { ApprovalQuestion } from '@curfew/core/internal'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import type { Key } from 'ink'
import { QuestionPanel, type QuestionPanelOptions } from '../src/tui/questions/question-panel.ts'

export interface PanelSetup {
  readonly panel: QuestionPanel
  readonly clock: FakeClock
  /** The answers that were given, with the ids of the questions. */
  readonly answers: (readonly [id: number, answer: Answer])[]
  /** Keys and pastes that the panel left to the draft. */
  readonly draft: { text: string }
  readonly notices: string[]
  open(...questions: Question[]): void
  /** As if the question expired, or was answered somewhere else. */
  close(id: number): void
  /** Presses keys one after the other: characters, or names such as `return` and `ctrl+o`. */
  press(...keys: string[]): boolean[]
  paste(text: string): boolean
  /** Waits until keys answer the question that is shown. */
  ready(): Promise<void>
}

/** A panel on top of a runtime that only has questions. Unless a view does it, what is shown is visible at once. */
export function setUpPanel(options: Partial<QuestionPanelOptions> = {}, isVisible = true): PanelSetup {
  const clock = createFakeClock()
  const answers: (readonly [number, Answer])[] = []
  const draft = { text: '' }
  const notices: string[] = []
  let questions: readonly Question[] = []
  const listeners = new Set<(changes: { opened: readonly Question[]; closed: readonly number[] }) => void>()
  const close = (id: number): boolean => {
    if (!questions.some((question) => question.id === id)) return false
    questions = questions.filter((question) => question.id !== id)
    for (const listener of listeners) listener({ opened: [], closed: [id] })
    return true
  }
  const panel = new QuestionPanel({
    runtime: {
      getSnapshot: () => ({ questions }),
      subscribe(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      answer(id, answer) {
        if (!questions.some((question) => question.id === id)) return false
        answers.push([id, answer])
        return close(id)
      },
      rules: {
        covers(rule) {
          if (/\s/.test(rule.split('(')[0]!)) throw new Error('invalid')
          return rule.startsWith('run')
        },
      },
    },
    clock,
    isTyping: () => draft.text !== '',
    onDraft: (text) => {
      draft.text += text
    },
    onNotice: (text) => notices.push(text),
    ...options,
  })
  const show = (): void => {
    const shown = panel.getSnapshot()?.question.id
    if (shown === visible) return
    visible = shown
    if (shown !== undefined) {
      panel.setVisible(shown, true)
      panel.setPage({ rows: 10, maxFirstLine: 0, isComplete: true })
    }
  }
  let visible: number | undefined
  if (isVisible) panel.subscribe(show)
  const press = (name: string): boolean => {
    const [input, key] = keyOf(name)
    const isConsumed = panel.handleKey(input, key)
    if (!isConsumed && input !== '' && !key.ctrl && !key.meta) draft.text += input
    return isConsumed
  }
  return {
    panel,
    clock,
    answers,
    draft,
    notices,
    open(...opened) {
      questions = [...questions, ...opened]
      for (const listener of listeners) listener({ opened, closed: [] })
    },
    close,
    press: (...names) => names.map(press),
    paste(text) {
      const isConsumed = panel.paste(text)
      if (!isConsumed) draft.text += text
      return isConsumed
    },
    ready: () => clock.advance(1_000),
  }
}

const noKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
}

/** What Ink passes for a key: `y`, `return`, `ctrl+o`, `shift+tab`, `repeat+y`. */
export function keyOf(name: string): [input: string, key: Key] {
  const parts = name.length === 1 ? [name] : name.split('+')
  const last = parts.pop()!
  const key = { ...noKey }
  for (const modifier of parts) {
    if (modifier === 'repeat' || modifier === 'release') key.eventType = modifier
    else key[modifier as 'ctrl'] = true
  }
  if (!Object.hasOwn(noKey, last)) return [last, key]
  key[last as 'return'] = true
  return [last === 'return' ? '\r' : '', key]
}

const base = {
  conversation: 'default',
  client: null,
  callUid: 1,
  callId: '1',
  tool: 'run',
  params: { command: 'npm test' },
}

export function approval(id: number, fields: Partial<ApprovalQuestion> = {}): ApprovalQuestion {
  return {
    ...base,
    id,
    kind: 'approval',
    message: 'Allow run with {"command":"npm test"}?',
    destructive: false,
    askRule: null,
    restriction: null,
    exactRule: 'run(npm test)',
    canRemember: true,
    preview: null,
    ...fields,
  }
}

export function input(id: number, choices: readonly string[] | null = null): Question {
  return { ...base, id, kind: 'input', message: 'Which branch?', choices }
}

export function secret(id: number): Question {
  return {
    ...base,
    id,
    kind: 'secret',
    message: 'run requires the secret TOKEN. Enter TOKEN for your tool run:',
    key: 'TOKEN',
    use: 'tool:run',
    reason: 'missing',
  }
}

export function secretUse(id: number): Question {
  return {
    ...base,
    id,
    kind: 'secret-use',
    message: 'May your tool run use the secret TOKEN? It was stored for api.example.com.',
    key: 'TOKEN',
    use: 'tool:run',
    uses: ['host:api.example.com'],
  }
}
