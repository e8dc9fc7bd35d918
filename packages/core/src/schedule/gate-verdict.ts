import type { AllowedBy } from '../call/allowed-by.ts'
import type { Verdict } from '../call/verdict.ts'
import type { ConversationApproval } from '../conversation/conversation-state.ts'
import type { ApprovalMode } from '../policy/approval-mode.ts'
import type { RuleMatch } from '../policy/approval-rules.ts'
import type { Call } from '../store/call.ts'
import type { Restriction, Tool } from '../tool/tool.ts'

/** What rules and modes say about a call, before a person is asked. */
export interface GateVerdict {
  readonly verdict: Verdict
  /** The rule that decided; `null` if none did. */
  readonly rule: string | null
  /** The mode that decided; `null` if none did. */
  readonly mode: ApprovalMode | null
  /** The reason of the tool's restriction, if it decided. */
  readonly restriction?: string
  /** Set if the verdict is `allow`. */
  readonly allowedBy: AllowedBy | null
}

/** A higher number is stricter. */
const rank: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

/** The strictest verdict of the runtime and of conversations, each with its mode. */
export function strictestOf(
  call: Call,
  ofRuntime: GateVerdict,
  approvals: readonly ConversationApproval[],
): GateVerdict {
  const tool = call.tool!
  let strictest =
    ofRuntime === defaultVerdicts.ask ? (allowedByModes(call, approvals) ?? ofRuntime) : ofRuntime
  for (const { rules, default: fallback, mode } of approvals) {
    if (rules !== null) {
      const verdict = verdictOf(tool, rules.decide(tool, call.params), fallback)
      const isAnswered = verdict === defaultVerdicts.ask && mode !== null
      strictest = stricter(strictest, isAnswered ? (allowedByMode(call, mode) ?? verdict) : verdict)
    }
    if (mode?.denies(tool)) strictest = stricter(strictest, deniedByMode(mode))
  }
  return strictest
}

/** A deny rule is reported rather than a default or a mode, because it also applies to what a person types. */
function stricter(first: GateVerdict, second: GateVerdict): GateVerdict {
  const difference = rank[second.verdict] - rank[first.verdict]
  const isRule = second.verdict === 'deny' && first.rule === null && second.rule !== null
  return difference > 0 || (difference === 0 && isRule) ? second : first
}

/** The runtime's default is answered only if every conversation that has a mode allows the call. */
function allowedByModes(call: Call, approvals: readonly ConversationApproval[]): GateVerdict | null {
  let verdict: GateVerdict | null = null
  for (const { mode } of approvals) {
    if (mode === null) continue
    verdict = allowedByMode(call, mode)
    if (verdict === null) return null
  }
  return verdict
}

function allowedByMode(call: Call, mode: ApprovalMode): GateVerdict | null {
  const rule = mode.allowingRule(call.tool!, call.params)
  if (rule === null) return null
  return { verdict: 'allow', rule, mode, allowedBy: { kind: 'mode', rule, mode: mode.name } }
}

export function deniedByMode(mode: ApprovalMode): GateVerdict {
  return { verdict: 'deny', rule: null, mode, allowedBy: null }
}

/** What the rules say, apart from remembered answers. */
export function verdictOf(tool: Tool, match: RuleMatch | null, fallback: Verdict): GateVerdict {
  const isAnswer = match?.source === 'remembered'
  const askRule = match?.askRule ?? null
  if (isAnswer && askRule !== null) return { verdict: 'ask', rule: askRule, mode: null, allowedBy: null }
  if (match !== null && !isAnswer) {
    const { verdict, rule } = match
    return verdict === 'allow' ? allowedVerdict('rule', rule) : { verdict, rule, mode: null, allowedBy: null }
  }
  if (tool.readOnly) return allowedAsReadOnly
  return tool.promptsItself ? defaultVerdicts.allow : defaultVerdicts[fallback]
}

/** A restriction makes every other verdict stricter. What a person typed needs no approval. */
export function withRestriction(
  decided: GateVerdict,
  { verdict, reason }: Restriction,
  isTyped: boolean,
): GateVerdict {
  if (decided.verdict === 'deny' || (verdict === 'ask' && isTyped)) return decided
  const rule = decided.verdict === 'ask' && verdict === 'ask' ? decided.rule : null
  return { verdict, rule, mode: null, allowedBy: null, restriction: reason }
}

export function allowedVerdict(kind: AllowedBy['kind'], rule: string | null): GateVerdict {
  return { verdict: 'allow', rule, mode: null, allowedBy: { kind, rule } }
}

const allowedAsReadOnly: GateVerdict = allowedVerdict('readOnly', null)
export const typedByPerson: GateVerdict = allowedVerdict('person', null)
const defaultVerdicts: Readonly<Record<Verdict, GateVerdict>> = {
  allow: allowedVerdict('default', null),
  ask: { verdict: 'ask', rule: null, mode: null, allowedBy: null },
  deny: { verdict: 'deny', rule: null, mode: null, allowedBy: null },
}
