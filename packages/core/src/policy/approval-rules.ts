import type { RuleLists, Verdict } from '../call/verdict.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { Tool } from '../tool/tool.ts'
import { ArgumentMatcher, isJsonGlob } from './argument-matcher.ts'
import { escapeGlob, matchGlob } from './match-glob.ts'

export interface RuleSources extends RuleLists {
  /** A rule that comes from the settings of a tool. */
  readonly ofTool?: ((tool: Tool) => { readonly verdict: Verdict; readonly rule: string } | null) | undefined
}

export interface ApprovalRule {
  readonly verdict: Verdict
  readonly rule: string
  /** `remembered`: a person answered `always`; its verdict is `allow`. */
  readonly source: 'options' | 'added' | 'remembered'
}

export interface RuleMatch extends ApprovalRule {
  /** The `ask` rule that a remembered answer overrides; otherwise `null`. */
  readonly askRule: string | null
}

interface ParsedRule extends RuleMatch {
  /** It asks only about what is allowed otherwise. */
  readonly ifAllowed?: boolean
  readonly tool: string
  readonly argument: string | null
}

export class ApprovalRules {
  /** Sorted by precedence. */
  #rules: ParsedRule[]
  readonly #isRemembered: (rule: string) => boolean
  /** The rules that may apply to a tool, by its name. Most tools have none. */
  readonly #byTool = new Map<string, readonly ParsedRule[]>()
  readonly #ofTool: RuleSources['ofTool']

  /** `isRemembered`: whether a remembered answer is still valid; checked each time one is used. `field` is for errors. */
  constructor(
    lists: RuleSources = {},
    isRemembered: (rule: string) => boolean = () => true,
    field = 'approval.rules',
  ) {
    this.#isRemembered = isRemembered
    this.#ofTool = lists.ofTool
    const parse = (verdict: Verdict, key: keyof RuleLists, source: ApprovalRule['source']): ParsedRule[] =>
      (lists[key] ?? []).map((rule, index) =>
        parseRule({ verdict, rule, source }, `${field}.${key}[${index}]`),
      )
    this.#rules = [
      ...parse('deny', 'deny', 'options'),
      ...parse('allow', 'remembered', 'remembered'),
      ...parse('ask', 'ask', 'options'),
      ...parse('ask', 'askIfAllowed', 'options').map((rule) => ({ ...rule, ifAllowed: true })),
      ...parse('allow', 'allow', 'options'),
    ]
  }

  list(): ApprovalRule[] {
    return this.#rules
      .filter(({ rule, source }) => source !== 'remembered' || this.#isRemembered(rule))
      .map(({ verdict, rule, source }) => ({ verdict, rule, source }))
  }

  add(verdict: Verdict, rule: string): void {
    assertVerdict(verdict)
    this.#add({ verdict, rule, source: 'added' })
  }

  /** Returns false if there is no such rule. Remembered answers are removed with `forget`. */
  remove(verdict: Verdict, rule: string): boolean {
    assertVerdict(verdict)
    return this.#remove(
      (other) => other.verdict === verdict && other.source !== 'remembered' && !other.ifAllowed,
      rule,
    )
  }

  /** Adds a remembered answer. */
  remember(rule: string): void {
    this.#add({ verdict: 'allow', rule, source: 'remembered' })
  }

  /** Returns false if it was not remembered. */
  forget(rule: string): boolean {
    return this.#remove((other) => other.source === 'remembered', rule)
  }

  /** Precedence: deny > remembered answers > ask > allow. */
  decide(tool: Tool, params: unknown): RuleMatch | null {
    const candidates = this.#byTool.get(tool.name) ?? this.#findCandidates(tool)
    if (candidates.length === 0) return null
    const matcher = new ArgumentMatcher(tool, params)
    let answer: ParsedRule | null = null
    let asking: ParsedRule | null = null
    for (const rule of candidates) {
      const isAnswer = rule.source === 'remembered'
      if (isAnswer && answer !== null) continue
      const alternatives = (): readonly string[] => this.#alternatives(rule, candidates)
      if (rule.argument !== null && !matcher.match(rule.argument, rule.verdict, alternatives)) continue
      if (isAnswer) {
        if (this.#isRemembered(rule.rule)) answer = rule
      } else if (rule.ifAllowed) asking ??= rule
      else {
        const decisive = rule.verdict === 'allow' ? (asking ?? rule) : rule
        return answer !== null && decisive.verdict === 'ask'
          ? { ...answer, askRule: decisive.rule }
          : decisive
      }
    }
    return answer ?? (tool.readOnly ? asking : null)
  }

  /** What together with a rule may allow several commands: remembered answers do not count as rules, because they override `ask`. */
  #alternatives({ source }: ParsedRule, candidates: readonly ParsedRule[]): readonly string[] {
    const isAnswer = source === 'remembered'
    return candidates
      .filter((other) => other.verdict === 'allow' && (other.source === 'remembered') === isAnswer)
      .filter(({ rule }) => !isAnswer || this.#isRemembered(rule))
      .flatMap(({ argument }) => argument ?? [])
  }

  #findCandidates(tool: Tool): readonly ParsedRule[] {
    let candidates = this.#rules.filter((rule) => appliesTo(rule, tool))
    const own = this.#ofTool?.(tool) ?? null
    if (own !== null) {
      const rule: ParsedRule = { ...own, source: 'options', askRule: null, tool: tool.name, argument: null }
      candidates = sortRules([...candidates, rule])
    }
    this.#byTool.set(tool.name, candidates)
    return candidates
  }

  #add(added: ApprovalRule): void {
    const parsed = parseRule(added, 'rule')
    const isRemembered = added.source === 'remembered'
    const isSame = ({ verdict, rule, source, ifAllowed }: ParsedRule): boolean =>
      verdict === added.verdict &&
      rule === added.rule &&
      (source === 'remembered') === isRemembered &&
      !ifAllowed
    if (this.#rules.some(isSame)) return
    this.#change(sortRules([...this.#rules, parsed]))
  }

  #remove(isMeant: (rule: ParsedRule) => boolean, text: string): boolean {
    const kept = this.#rules.filter((rule) => rule.rule !== text || !isMeant(rule))
    if (kept.length === this.#rules.length) return false
    this.#change(kept)
    return true
  }

  #change(rules: ParsedRule[]): void {
    this.#rules = rules
    this.#byTool.clear()
  }
}

function sortRules(rules: readonly ParsedRule[]): ParsedRule[] {
  return rules.toSorted((a, b) => precedence(a) - precedence(b))
}

/** Lowest first. */
function precedence({ verdict, source }: ApprovalRule): number {
  if (source === 'remembered') return 1
  return { deny: 0, ask: 2, allow: 3 }[verdict]
}

/** A rule that denies or asks by arguments also applies to other tools that run commands; only a tool's own name can allow it. */
function appliesTo(rule: ParsedRule, tool: Tool): boolean {
  if (matchGlob(rule.tool, tool.name)) return true
  return (
    rule.verdict !== 'allow' &&
    rule.argument !== null &&
    tool.sharesRulesWith.some((name) => matchGlob(rule.tool, name))
  )
}

/** The rule that allows exactly this call. */
export function exactRule(tool: Tool, params: unknown): string {
  const text = onlyText(tool, Object(params))
  const isShort = text !== null && !isJsonGlob(text)
  return `${tool.name}(${escapeGlob(isShort ? text : canonicalJson(Object(params)))})`
}

/** The only argument of a tool with one parameter, if that is a string by its schema: a list of the same words would match, too. */
function onlyText(tool: Tool, params: Record<string, unknown>): string | null {
  const [name, ...others] = tool.parameterNames
  if (name === undefined || others.length > 0 || tool.validatesItself || Object.keys(params).length !== 1)
    return null
  const value = params[name]
  const { type } = Object(Object(tool.schema.jsonSchema.properties)[name])
  return type === 'string' && typeof value === 'string' ? value : null
}

function parseRule(rule: ApprovalRule, field: string): ParsedRule {
  const text: unknown = rule.rule
  const match = typeof text === 'string' ? /^([^()\s]+)(?:\(([\s\S]*)\))?$/.exec(text) : null
  if (match?.[1]) return { ...rule, askRule: null, tool: match[1], argument: match[2] ?? null }
  throw unexpectedOption(field, 'a rule such as "tool" or "tool(glob)"', text)
}

function assertVerdict(verdict: unknown): void {
  if (verdict === 'allow' || verdict === 'ask' || verdict === 'deny') return
  throw unexpectedOption('verdict', 'one of allow, ask, deny', verdict)
}
