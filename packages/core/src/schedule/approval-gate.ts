import type { AllowedBy } from '../call/allowed-by.ts'
import { copyValidated } from '../call/copy-params.ts'
import type { ApprovalAnswer, ApprovalDecision, ApprovalQuestion } from '../call/question.ts'
import type { Verdict } from '../call/verdict.ts'
import { attempt } from '../errors/attempt.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import type { ApprovalSettings } from '../options/resolve-options.ts'
import { approvalMessage } from '../policy/approval-message.ts'
import type { ApprovalMode } from '../policy/approval-mode.ts'
import type { ApprovalRule } from '../policy/approval-rules.ts'
import { ApprovalRules, exactRule } from '../policy/approval-rules.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from '../store/call.ts'
import type { Restriction } from '../tool/tool.ts'
import {
  allowedVerdict,
  deniedByMode,
  type GateVerdict,
  strictestOf,
  typedByPerson,
  verdictOf,
  withRestriction,
} from './gate-verdict.ts'

export type GateOutcome =
  | { readonly kind: 'approved'; readonly allowedBy: AllowedBy }
  | { readonly kind: 'denied'; readonly error: CurfewError }
  /** A person stopped the whole turn. */
  | { readonly kind: 'stop'; readonly error: CurfewError }

/** The approval rules of a runtime. A change applies to calls that have not been approved yet, including open questions. */
export interface RuntimeRules {
  /** In the order of precedence: deny > remembered answers (with the verdict `allow`) > ask > allow. */
  list(): ApprovalRule[]
  /** Adds `tool` or `tool(argument-glob)`, until the runtime is closed. */
  add(verdict: Verdict, rule: string): void
  /** Removes a rule. For `allow`, this includes a remembered answer, also where it is stored. Returns false if there is no such rule. */
  remove(verdict: Verdict, rule: string): boolean
  /**
   * Whether a rule would allow a call, by its uid, that waits for an approval, so that it can be the rule of the answer `turn` or `always`.
   * Throws `INVALID_OPTION` if it is not a rule.
   */
  covers(rule: string, callUid: number): boolean
}

/** Decides which calls may run: by rule, by flag, or by asking a person. Without an answer, the call is denied. */
export class ApprovalGate {
  readonly rules: RuntimeRules = {
    list: () => this.#rules.list(),
    add: (verdict, rule) => {
      this.#rules.add(verdict, rule)
      this.#decideOpen()
    },
    remove: (verdict, rule) => {
      const wasRemembered = verdict === 'allow' && this.#rules.forget(rule)
      if (wasRemembered)
        this.#store('a remembered answer could not be removed', () => this.#settings.forget(rule))
      const removed = this.#rules.remove(verdict, rule) || wasRemembered
      this.#decideOpen()
      return removed
    },
    covers: (rule, callUid) => {
      const candidate = new ApprovalRules()
      candidate.add('allow', rule)
      const call = [...this.#open.keys()].find(({ uid }) => uid === callUid)
      return call !== undefined && candidate.decide(call.tool!, call.params) !== null
    },
  }
  readonly #settings: ApprovalSettings
  readonly #redactor: Redactor
  readonly #rules: ApprovalRules
  readonly #person: AskPerson
  readonly #report: (message: string, error: unknown) => void
  /** One after the other: an answer that is removed at once must not be stored afterwards. */
  #writes: Promise<void> = Promise.resolve()
  /** Ends the open question of a call. */
  readonly #open = new Map<Call, (outcome: GateOutcome) => void>()

  constructor(
    settings: ApprovalSettings,
    redactor: Redactor,
    person: AskPerson,
    report: (message: string, error: unknown) => void,
  ) {
    this.#settings = settings
    this.#redactor = redactor
    this.#rules = new ApprovalRules(settings.rules, settings.isRemembered)
    this.#person = person
    this.#report = report
  }

  /**
   * The strictest verdict of the runtime and of the call's conversations. In each of them: deny > ask > allow > read-only >
   * mode > the default. What a person allowed before, for this turn or always, answers only `ask`. A restriction of the tool comes first.
   */
  decide(call: Call): GateVerdict {
    const decided = this.#decideByRules(call)
    const restriction = readRestriction(call)
    call.restriction = restriction?.reason ?? null
    return restriction === null ? decided : withRestriction(decided, restriction, call.batch.typed)
  }

  #decideByRules(call: Call): GateVerdict {
    const { turn, typed } = call.batch
    const match = this.#rules.decide(call.tool!, call.params)
    const ofRuntime = verdictOf(call.tool!, match, this.#settings.default)
    const { approvals } = turn.conversation
    const strictest = approvals.length === 0 ? ofRuntime : strictestOf(call, ofRuntime, approvals)
    const isDenied = strictest.verdict === 'deny' && (!typed || strictest.rule !== null)
    if (isDenied || strictest.verdict === 'allow') return strictest
    if (typed) return typedByPerson
    if (match?.source === 'remembered') return allowedVerdict('remembered', match.rule)
    const grant = turn.root.allowed?.decide(call.tool!, call.params) ?? null
    return grant === null ? strictest : allowedVerdict('turn', grant.rule)
  }

  /** The error of a call that was allowed before a mode that denies it was set. `null` if it may run. */
  deniedSince(call: Call): CurfewError | null {
    const { approvals } = call.batch.turn.conversation
    if (approvals.length === 0 || call.batch.typed || call.allowedBy?.kind === 'answer') return null
    const denying = approvals.find(({ mode }) => mode?.denies(call.tool!) === true)
    return denying === undefined ? null : this.denial(call, deniedByMode(denying.mode!))
  }

  denial(
    call: Call,
    { rule, mode, restriction }: Pick<GateVerdict, 'rule' | 'mode' | 'restriction'>,
  ): CurfewError {
    if (restriction !== undefined) return this.#denied(call, restriction)
    if (mode !== null) return this.#denied(call, whyModeDenied(mode))
    return this.#denied(call, whyDenied(rule), rule === null)
  }

  question(
    call: Call,
    { rule: askRule, restriction }: Pick<GateVerdict, 'rule' | 'restriction'>,
    preview: string | null,
  ): ApprovalQuestion {
    const tool = call.tool!
    const params = this.#redactor.data(copyValidated(call.params))
    return {
      ...this.#person.identify(call.batch.turn.conversation),
      kind: 'approval',
      callUid: call.uid,
      callId: call.callId,
      tool: tool.name,
      params,
      message: approvalMessage(tool.name, params, restriction),
      destructive: tool.destructive,
      askRule,
      restriction: restriction ?? null,
      exactRule: exactRule(tool, params),
      canRemember: restriction === undefined && this.#canRemember(call),
      preview,
    }
  }

  /** Returns a function that withdraws the question. */
  ask(call: Call, question: ApprovalQuestion, onOutcome: (outcome: GateOutcome) => void): () => void {
    const settle = (outcome: GateOutcome): void => {
      this.#open.delete(call)
      onOutcome(outcome)
      this.#decideOpen()
    }
    const withdraw = this.#person.ask(question, call.batch.turn.conversation, (outcome) =>
      settle(this.#evaluate(call, question, outcome)),
    )
    this.#open.set(call, (outcome) => {
      withdraw()
      settle(outcome)
    })
    return () => {
      this.#open.delete(call)
      withdraw()
    }
  }

  #evaluate(call: Call, question: ApprovalQuestion, outcome: AskOutcome): GateOutcome {
    if (outcome.kind === 'expired') {
      const hint = question.restriction === null ? ` ${howToAllow(question.exactRule)}` : ''
      const message = `nobody answered in time whether ${call.name} may run.${hint}`
      return { kind: 'denied', error: new CurfewError('APPROVAL_EXPIRED', message) }
    }
    if (outcome.kind === 'unanswered') {
      return {
        kind: 'denied',
        error: this.#denied(
          call,
          question.restriction === null
            ? 'it requires approval and nobody is available to answer'
            : `${question.restriction}. That requires the approval of a person, and nobody is available to answer`,
          question.restriction === null,
        ),
      }
    }
    const decision = toDecision(outcome.answer)
    switch (decision.answer) {
      case 'no':
        return {
          kind: 'denied',
          error: this.#denied(call, decision.reason ?? 'the person denied it; do not retry'),
        }
      case 'stop':
        return {
          kind: 'stop',
          error: new CurfewError('CANCELLED', decision.reason ?? 'the person stopped the turn'),
        }
      case 'turn':
      case 'always':
        // A restriction is asked about each time.
        if (question.restriction === null) this.#remember(call, decision)
    }
    return { kind: 'approved', allowedBy: answered }
  }

  #remember(call: Call, { answer, rule }: ApprovalDecision): void {
    const exact = exactRule(call.tool!, call.params)
    const requested = rule ?? (answer === 'always' ? exact : call.name)
    const added = covers(requested, call) ? requested : exact
    if (added !== requested)
      this.#report(
        `the rule "${requested}" does not match the call to ${call.name}; added "${added}" instead`,
        undefined,
      )
    const { root } = call.batch.turn
    if (answer !== 'always' || !this.#canRemember(call)) return root.allow(added)
    this.#rules.remember(added)
    this.#store(`the rule for ${call.name} could not be stored`, () => this.#settings.remember(added))
  }

  /** A secret must not be stored in a rule, so "always" then applies only to the turn. */
  #canRemember({ batch, params }: Call): boolean {
    return batch.turn.conversation.rememberAnswers && !this.#redactor.containsSecret(params)
  }

  /** Resolves when all answers until now are stored. */
  get stored(): Promise<void> {
    return this.#writes
  }

  #store(failure: string, write: () => void | Promise<void>): void {
    this.#writes = this.#writes.then(write).catch((error: unknown) => this.#report(failure, error))
  }

  #denied(call: Call, reason: string, canBeAllowed = false): CurfewError {
    const rule = exactRule(call.tool!, this.#redactor.data(call.params))
    const hint = canBeAllowed ? `. ${howToAllow(rule)}` : ''
    return new CurfewError('DENIED', `${call.name} was denied: ${reason}${hint}`)
  }

  /** A changed rule may decide questions that are already open; a mode does not, because a person is about to. */
  #decideOpen(): void {
    for (const call of [...this.#open.keys()]) {
      const decided = this.decide(call)
      const { verdict, mode, allowedBy } = decided
      if (mode !== null) continue
      // Deciding one may have ended others.
      if (allowedBy !== null) this.#open.get(call)?.({ kind: 'approved', allowedBy })
      else if (verdict === 'deny')
        this.#open.get(call)?.({ kind: 'denied', error: this.denial(call, decided) })
    }
  }
}

const answered: AllowedBy = { kind: 'answer', rule: null }

function whyDenied(rule: string | null): string {
  return rule === null
    ? "approval is 'deny' for tools that are not read-only"
    : `the rule "${rule}" denies it, and deny takes precedence over allow; remove the rule to allow it`
}

function whyModeDenied({ name, advice }: ApprovalMode): string {
  return `the mode ${name} allows only read-only tools${advice === null ? '' : `. ${advice}`}`
}

function readRestriction(call: Call): Restriction | null {
  const { restrict, name } = call.tool!
  const restriction = restrict?.(call.params as never) ?? null
  if (restriction === null) return null
  const { verdict, reason } = restriction
  if ((verdict === 'ask' || verdict === 'deny') && typeof reason === 'string') return restriction
  const message = `tool "${name}": restrict: expected { verdict: 'ask' | 'deny', reason: string } or null, got ${describeValue(restriction)}`
  throw new CurfewError('INVALID_TOOL', message, { field: 'restrict' })
}

const answers: readonly ApprovalAnswer[] = ['once', 'turn', 'always', 'no', 'stop']

/** Treats any other value than the five answers, or one that cannot be read, as `no`. */
function toDecision(value: unknown): ApprovalDecision {
  const invalid: ApprovalDecision = {
    answer: 'no',
    reason: `the answer is invalid; expected one of ${answers.join(', ')}`,
  }
  try {
    const { answer, reason, rule } = (
      typeof value === 'string' ? { answer: value } : value
    ) as ApprovalDecision
    if (!answers.includes(answer)) return invalid
    return {
      answer,
      reason: typeof reason === 'string' ? reason : undefined,
      rule: typeof rule === 'string' ? rule : undefined,
    }
  } catch {
    return invalid
  }
}

function covers(rule: string, call: Call): boolean {
  return attempt(() => new ApprovalRules({ allow: [rule] }).decide(call.tool!, call.params) !== null, false)
}

function howToAllow(rule: string): string {
  const shown = rule.length > 200 ? `${rule.slice(0, 200)}...` : rule
  return `To allow it: add ${JSON.stringify(shown)} to approval.rules.allow, set approval: 'allow', pass \`ask\` so that a person can approve it, or define the tool as readOnly if it changes nothing.`
}
