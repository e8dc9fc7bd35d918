import type { CallDelta, Question, Runtime } from '@curfew/core'
import { defaultApprovalTimeoutMs, Listeners, systemClock } from '@curfew/core/internal'
import type { Key } from 'ink'
import { isControl, isPrintable } from './edited-line.ts'
import { HeldKey } from './held-key.ts'
import { firstGuard, KeyGuard, nextGuard, type PanelClock, tabGuard } from './key-guard.ts'
import { keyEffect, keyName } from './key-name.ts'
import { LateKeys } from './late-keys.ts'
import { openForm } from './open-form.ts'
import { QuestionExpiry } from './question-expiry.ts'
import type { FormReaction } from './question-form.ts'
import { isSameSnapshot, type QuestionSnapshot } from './question-snapshot.ts'
import { type Page, ShownQuestion } from './shown-question.ts'

/** The part of a runtime that has the questions. */
export interface QuestionRuntime extends Pick<Runtime, 'answer'> {
  getSnapshot(): { readonly questions: readonly Question[] }
  subscribe(listener: (changes: Pick<CallDelta, 'opened' | 'closed'>) => void): () => void
  readonly rules: Pick<Runtime['rules'], 'covers'>
}

export interface QuestionPanelOptions {
  readonly runtime: QuestionRuntime
  readonly clock?: PanelClock | undefined
  /** Whether the draft contains text. */
  readonly isTyping: () => boolean
  /** Keeps text that was typed into a question that was then closed by someone else. */
  readonly onDraft: (text: string) => void
  /** Something that a person should know, such as that a question was closed while they were typing. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** The `approvalTimeout` of the runtime. */
  readonly approvalTimeoutMs?: number | undefined
}

/** A rule has to be on the screen this long before it can be added, and what was hidden before it can be allowed. */
const readMs = 500
const doublePressMs = 300

/**
 * Shows the open questions of a runtime one by one and answers them with keys. Call `handleKey` and `paste` with everything that is typed, before
 * the draft gets it: they return false for what is not theirs. Keys that were pressed before a question could be read never answer it.
 */
export class QuestionPanel {
  readonly #runtime: QuestionRuntime
  readonly #clock: PanelClock
  readonly #options: QuestionPanelOptions
  readonly #guard: KeyGuard
  readonly #held: HeldKey
  readonly #late: LateKeys
  readonly #expiry: QuestionExpiry
  readonly #listeners = new Listeners<void>(() => {})
  readonly #unsubscribe: () => void
  #open: readonly Question[] = []
  #shown: ShownQuestion | null = null
  #snapshot: QuestionSnapshot | null = null
  /** The number of questions that were shown and closed since none was open. */
  #passed = 0
  /** The question that this panel has just answered. */
  #answered: ShownQuestion | null = null
  #wasConsumed = false
  #isDisposed = false
  /** The key came too early. */
  #isIgnored = false
  /** When the current step was reached. */
  #stepSince = Number.NEGATIVE_INFINITY

  constructor(options: QuestionPanelOptions) {
    const { runtime, clock = systemClock, approvalTimeoutMs = defaultApprovalTimeoutMs } = options
    this.#runtime = runtime
    this.#clock = clock
    this.#options = options
    const update = (): void => this.#update()
    this.#guard = new KeyGuard(clock, update)
    this.#held = new HeldKey(clock)
    this.#late = new LateKeys(clock)
    this.#expiry = new QuestionExpiry(clock, approvalTimeoutMs, update)
    this.#expiry.update(runtime.getSnapshot().questions, true)
    this.#unsubscribe = runtime.subscribe(({ opened, closed }) => {
      if (opened.length > 0 || closed.length > 0) this.#sync()
    })
    this.#sync()
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  /** `null` if no question is open; the same object while nothing changes. */
  readonly getSnapshot = (): QuestionSnapshot | null => this.#snapshot

  /** Call it when a question is on the screen: before that, no key answers it. */
  setVisible(questionId: number, isVisible: boolean): void {
    if (this.#shown?.question.id !== questionId) return
    if (!isVisible) this.#guard.arm(firstGuard)
    else this.#guard.setVisible(true)
    this.#update()
  }

  /** Call it with the size of what is shown, so that pages can be turned. */
  setPage(page: Page): void {
    if (this.#shown !== null) this.#shown.page = page
  }

  /** Returns false if the key is for someone else. */
  handleKey(input: string, key: Key): boolean {
    if (key.eventType === 'release') return false
    this.#sync()
    const name = keyName(input, key)
    const step = this.#step
    this.#isIgnored = false
    const isConsumed = this.#route(input, key, name)
    this.#held.keyPressed(name, step, this.#isIgnored)
    this.#guard.keyPressed(isConsumed ? 'none' : keyEffect(input, key))
    this.#wasConsumed = isConsumed
    if (isConsumed && key.escape) this.#late.escaped()
    this.#update()
    return isConsumed
  }

  /** Returns false if the text is for the draft. A paste never answers a question. */
  paste(text: string): boolean {
    this.#sync()
    const step = this.#step
    const isConsumed = this.#insert(text)
    this.#held.keyPressed('paste', step, false)
    this.#guard.keyPressed(isConsumed ? 'none' : 'types')
    this.#wasConsumed = isConsumed
    this.#update()
    return isConsumed
  }

  dispose(): void {
    this.#isDisposed = true
    this.#unsubscribe()
    this.#listeners.clear()
    this.#guard.dispose()
    this.#held.cancel()
    this.#expiry.dispose()
    this.#shown?.form.close()
    this.#shown = null
    this.#snapshot = null
  }

  /** Changes with the question and with what is being asked about it. */
  get #step(): string {
    return this.#shown?.step ?? ''
  }

  #route(input: string, key: Key, name: string): boolean {
    if (isControl(input, key, 'c') || isControl(input, key, 'z')) return false
    if (this.#late.drops(key)) return true
    const shown = this.#shown
    if (shown === null || !this.#guard.isVisible) return false
    if (shown.focus === 'draft') return this.#focusByTab(shown, key)
    if (!this.#guard.isOpen) return this.#ignoreKey(shown, input, key, name)
    if (key.tab) return this.#leave(shown)
    return shown.turnPage(input, key) || this.#act(shown, input, key, name)
  }

  #focusByTab(shown: ShownQuestion, key: Key): boolean {
    // Before that, the Tab may be meant for the draft.
    if (!key.tab || key.shift || !this.#guard.isVisibleFor(firstGuard.visibleMs)) return false
    shown.focus = 'question'
    shown.isFocusedByTab = true
    this.#guard.arm(tabGuard, true)
    return true
  }

  /** A key that comes too early to be an answer. What is typed goes to the draft, which then keeps the keys. */
  #ignoreKey(shown: ShownQuestion, input: string, key: Key, name: string): boolean {
    this.#isIgnored = true
    const isHeld = this.#wasConsumed && this.#held.isFromBefore(name, this.#step)
    if (isHeld) return true
    if (key.escape || key.ctrl || key.meta) return false
    if (shown.isNext && shown.form.isAction(input, key)) return true
    if (isPrintable(input, key)) {
      // A secret must not appear in the draft. It is not sent without Enter.
      if (shown.form.snapshot.kind === 'secret') return shown.form.insert(input)
      shown.focus = 'draft'
      return false
    }
    return !key.backspace && !key.delete && !this.#options.isTyping()
  }

  #leave(shown: ShownQuestion): boolean {
    shown.focus = 'draft'
    this.#held.cancel()
    return true
  }

  #act(shown: ShownQuestion, input: string, key: Key, name: string): boolean {
    if (!shown.form.isAction(input, key)) return this.#dispatch(shown, input, key)
    if (key.eventType === 'repeat') return true
    const step = this.#step
    const { form, mustRead } = shown.snapshot
    const isUnread = (form.kind === 'rule' || mustRead) && this.#clock.now() - this.#stepSince < readMs
    if (isUnread || this.#held.isFromBefore(name, step, doublePressMs)) {
      this.#isIgnored = true
      return true
    }
    this.#held.check(name, step, () => {
      this.#sync()
      if (this.#step !== step || shown.focus !== 'question' || !this.#guard.isOpen) return
      this.#dispatch(shown, input, key)
      this.#update()
    })
    return true
  }

  #dispatch(shown: ShownQuestion, input: string, key: Key): boolean {
    const step = this.#step
    const reaction = shown.handleKey(input, key)
    if (this.#step !== step) this.#stepSince = this.#clock.now()
    if (reaction.kind === 'answer') this.#answer(shown, reaction.answer)
    if (reaction.kind !== 'ignored') return true
    if (key.escape) return shown.isFocusedByTab ? this.#leave(shown) : false
    if (isPrintable(input, key)) return this.#type(shown)
    return !key.ctrl && !key.meta
  }

  /** The person begins to type something else. */
  #type(shown: ShownQuestion): boolean {
    this.#leave(shown)
    return false
  }

  #insert(text: string): boolean {
    if (this.#late.discardsSecret) return true
    const shown = this.#shown
    if (shown === null || !this.#guard.isVisible || shown.focus === 'draft') return false
    // A secret must not appear in the draft, even if it is pasted too early. It is not sent without Enter.
    const canInsert = this.#guard.isOpen || shown.form.snapshot.kind === 'secret'
    return canInsert && shown.form.insert(text) ? true : this.#type(shown)
  }

  #answer(shown: ShownQuestion, answer: Extract<FormReaction, { kind: 'answer' }>['answer']): void {
    this.#answered = shown
    if (!this.#runtime.answer(shown.question.id, answer)) this.#answered = null
    this.#sync()
  }

  #sync(): void {
    if (this.#isDisposed) return
    const { questions } = this.#runtime.getSnapshot()
    if (questions === this.#open) return
    this.#open = questions
    this.#expiry.update(questions)
    const before = this.#shown
    if (before !== null && !questions.some(({ id }) => id === before.question.id)) this.#close(before)
    if (questions.length === 0) this.#passed = 0
    if (this.#shown === null && questions[0] !== undefined) this.#show(questions[0], before)
    this.#answered = null
    this.#update()
  }

  #close(shown: ShownQuestion): void {
    this.#shown = null
    this.#passed++
    this.#held.cancel()
    const { snapshot } = shown.form
    const kept = shown.form.close()
    if (this.#answered === shown) return
    if (kept !== '') this.#options.onDraft(kept)
    if (snapshot.kind !== 'secret' || snapshot.dots === 0 || shown.focus === 'draft') return
    this.#late.discardSecret()
    this.#options.onNotice?.('The secret is no longer needed. What you typed was discarded.')
  }

  #show(question: Question, before: ShownQuestion | null): void {
    const isNext = before !== null && before === this.#answered && before.focus === 'question'
    const isTyping = this.#guard.isTyping || this.#options.isTyping()
    this.#guard.arm(isNext ? nextGuard : firstGuard)
    const form = openForm(question, (rule, callUid) => this.#runtime.rules.covers(rule, callUid))
    this.#shown = new ShownQuestion(question, form, {
      isNext,
      focus: isTyping && !isNext ? 'draft' : 'question',
      isFocusedByTab: isNext && before.isFocusedByTab,
    })
  }

  #update(): void {
    const next = this.#build()
    if (isSameSnapshot(next, this.#snapshot)) return
    this.#snapshot = next
    this.#listeners.notify()
  }

  #build(): QuestionSnapshot | null {
    const shown = this.#shown
    if (shown === null) {
      this.#expiry.dispose()
      return null
    }
    return {
      ...shown.snapshot,
      position: this.#passed + 1,
      total: this.#passed + this.#open.length,
      isReady: shown.focus === 'question' && this.#guard.isOpen,
      secondsLeft: this.#expiry.secondsLeft(shown.question.id),
    }
  }
}
