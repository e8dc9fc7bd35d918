import type { AllowedBy } from '../call/allowed-by.ts'
import { copyValidated } from '../call/copy-params.ts'
import type { ApprovalAnswer, ApprovalDecision, ApprovalQuestion } from '../call/question.ts'
import type { Verdict } from '../call/verdict.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { approvalMessage } from '../policy/approval-message.ts'
import { ApprovalRules, exactRule } from '../policy/approval-rules.ts'
import type { AskOutcome, AskPerson, OpenQuestion } from '../policy/ask-person.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from '../store/call.ts'

export type GateOutcome =
  | { readonly kind: 'approved'; readonly allowedBy: AllowedBy }
  | { readonly kind: 'denied'; readonly error: CurfewError }
  /** A person stopped the whole turn. */
  | { readonly kind: 'stop'; readonly error: CurfewError }

export interface GateVerdict {
  readonly verdict: Verdict
  /** The rule that decided; `null` if none did. */
  readonly rule: string | null
  /** Set if the verdict is `allow`. */
  readonly allowedBy: AllowedBy | null
}

/** Decides which calls may run: by rule, by flag, or by asking a person. Without an answer, the call is denied. */
export class ApprovalGate {
  readonly #settings: RuntimeSettings['approval']
  readonly #redactor: Redactor
  readonly #rules: ApprovalRules
  readonly #person: AskPerson
  readonly #report: (message: string, error: unknown) => void
  readonly #open = new Map<Call, OpenQuestion>()

  constructor(
    settings: RuntimeSettings['approval'],
    redactor: Redactor,
    person: AskPerson,
    report: (message: string, error: unknown) => void,
  ) {
    this.#settings = settings
    this.#redactor = redactor
    this.#rules = new ApprovalRules(settings.rules)
    this.#person = person
    this.#report = report
  }

  /**
   * The strictest verdict of the runtime and of the call's conversations. In each of them: deny > ask > allow > read-only >
   * the default. What a person allowed before answers only `ask`.
   */
  decide(call: Call): GateVerdict {
    const { turn, typed } = call.batch
    let strictest = this.#decideBy(call, this.#rules, this.#settings.default)
    for (const { rules, default: fallback } of turn.conversation.approvals) {
      const verdict = this.#decideBy(call, rules, fallback)
      if (rank[verdict.verdict] > rank[strictest.verdict]) strictest = verdict
    }
    const isDenied = strictest.verdict === 'deny' && (!typed || strictest.rule !== null)
    if (isDenied || strictest.verdict === 'allow') return strictest
    if (typed) return typedByPerson
    const grant = turn.root.allowed?.decide(call.tool!, call.params) ?? null
    return grant === null ? strictest : allowedVerdict('turn', grant.rule)
  }

  #decideBy({ tool, params }: Call, rules: ApprovalRules, fallback: Verdict): GateVerdict {
    const match = rules.decide(tool!, params)
    if (match?.verdict === 'allow') return allowedVerdict('rule', match.rule)
    if (match !== null) return { verdict: match.verdict, rule: match.rule, allowedBy: null }
    if (tool!.readOnly) return allowedAsReadOnly
    return tool!.promptsItself ? defaultVerdicts.allow : defaultVerdicts[fallback]
  }

  denial(call: Call, rule: string | null): CurfewError {
    return rule === null
      ? this.#denied(call, "approval is 'deny' for tools that are not read-only", true)
      : this.#denied(
          call,
          `the rule "${rule}" denies it, and deny takes precedence over allow; remove the rule to allow it`,
        )
  }

  question(call: Call, askRule: string | null): ApprovalQuestion {
    const tool = call.tool!
    const params = this.#redactor.data(copyValidated(call.params))
    return {
      ...this.#person.identify(call.batch.turn.conversation),
      kind: 'approval',
      callUid: call.uid,
      callId: call.callId,
      tool: tool.name,
      params,
      message: approvalMessage(tool.name, params),
      destructive: tool.destructive,
      askRule,
      exactRule: exactRule(tool, params),
    }
  }

  /** Returns a function that withdraws the question. */
  ask(call: Call, question: ApprovalQuestion, onOutcome: (outcome: GateOutcome) => void): () => void {
    const open = this.#person.ask(question, call.batch.turn.conversation, (outcome) => {
      this.#open.delete(call)
      onOutcome(this.#evaluate(call, question, outcome))
      this.#answerOthers()
    })
    this.#open.set(call, open)
    return () => {
      this.#open.delete(call)
      open.withdraw()
    }
  }

  #evaluate(call: Call, question: ApprovalQuestion, outcome: AskOutcome): GateOutcome {
    if (outcome.kind === 'expired') {
      const message = `nobody answered in time whether ${call.name} may run. ${howToAllow(question.exactRule)}`
      return { kind: 'denied', error: new CurfewError('APPROVAL_EXPIRED', message) }
    }
    if (outcome.kind === 'unanswered') {
      return {
        kind: 'denied',
        error: this.#denied(call, 'it requires approval and nobody is available to answer', true),
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
        this.#remember(call, question, decision)
    }
    return { kind: 'approved', allowedBy: answered }
  }

  #remember(call: Call, question: ApprovalQuestion, { answer, rule }: ApprovalDecision): void {
    const exact = exactRule(call.tool!, call.params)
    const requested = rule ?? (answer === 'always' ? exact : call.name)
    const added = covers(requested, call) ? requested : exact
    if (added !== requested)
      this.#report(
        `the rule "${requested}" does not match the call to ${call.name}; added "${added}" instead`,
        undefined,
      )
    const { root, conversation } = call.batch.turn
    // An ask rule takes precedence over allow rules, so "always" applies only to the turn; and a secret must not be stored in a rule.
    const always = answer === 'always' && question.askRule === null && conversation.rememberAnswers
    if (!always || this.#redactor.containsSecret(call.params)) return root.allow(added)
    this.#rules.allow(added)
    Promise.resolve()
      .then(() => this.#settings.remember(added))
      .catch((error: unknown) => this.#report(`the rule for ${call.name} could not be stored`, error))
  }

  #denied(call: Call, reason: string, canBeAllowed = false): CurfewError {
    const rule = exactRule(call.tool!, this.#redactor.data(call.params))
    const hint = canBeAllowed ? `. ${howToAllow(rule)}` : ''
    return new CurfewError('DENIED', `${call.name} was denied: ${reason}${hint}`)
  }

  /** A new rule may answer questions that are already open. */
  #answerOthers(): void {
    for (const [call, open] of [...this.#open]) {
      if (this.decide(call).verdict === 'allow') open.answer('once')
    }
  }
}

/** A higher number is stricter. */
const rank: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

function allowedVerdict(kind: AllowedBy['kind'], rule: string | null): GateVerdict {
  return { verdict: 'allow', rule, allowedBy: { kind, rule } }
}

const allowedAsReadOnly = allowedVerdict('readOnly', null)
const answered: AllowedBy = { kind: 'answer', rule: null }
const typedByPerson = allowedVerdict('person', null)
const defaultVerdicts: Readonly<Record<Verdict, GateVerdict>> = {
  allow: allowedVerdict('default', null),
  ask: { verdict: 'ask', rule: null, allowedBy: null },
  deny: { verdict: 'deny', rule: null, allowedBy: null },
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
  try {
    return new ApprovalRules({ allow: [rule] }).decide(call.tool!, call.params) !== null
  } catch {
    return false
  }
}

function howToAllow(rule: string): string {
  const shown = rule.length > 200 ? `${rule.slice(0, 200)}...` : rule
  return `To allow it: add ${JSON.stringify(shown)} to approval.rules.allow, set approval: 'allow', pass \`ask\` so that a person can approve it, or define the tool as readOnly if it changes nothing.`
}
