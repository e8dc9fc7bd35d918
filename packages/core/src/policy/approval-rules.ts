import { CurfewError } from '../errors/curfew-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { Tool } from '../tool/tool.ts'
import { escapeGlob, matchGlob } from './match-glob.ts'

export type Verdict = 'allow' | 'ask' | 'deny'

/** Rules of the form `tool` or `tool(argument-glob)`; the tool's name may be a glob too. */
export interface RuleLists {
  readonly allow?: readonly string[] | undefined
  readonly ask?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

export interface RuleMatch {
  readonly verdict: Verdict
  /** The rule that decided, as it was written. */
  readonly rule: string
}

interface Rule {
  readonly text: string
  readonly tool: string
  readonly argument: string | null
}

/** deny > ask > allow, whatever their order. */
const precedence: readonly Verdict[] = ['deny', 'ask', 'allow']

export class ApprovalRules {
  readonly #rules: Record<Verdict, Rule[]>
  /** The rules that can apply to a tool, by its name: most tools have none. */
  #byTool = new Map<string, [Verdict, Rule][]>()

  constructor(lists: RuleLists = {}) {
    const parse = (verdict: Verdict): Rule[] =>
      (lists[verdict] ?? []).map((text, index) => parseRule(text, `approval.rules.${verdict}[${index}]`))
    this.#rules = { allow: parse('allow'), ask: parse('ask'), deny: parse('deny') }
  }

  allow(rule: string): void {
    this.#rules.allow.push(parseRule(rule, 'rule'))
    this.#byTool.clear()
  }

  decide(tool: Tool, params: unknown): RuleMatch | null {
    let candidates = this.#byTool.get(tool.name)
    if (candidates === undefined) {
      candidates = precedence.flatMap((verdict) =>
        this.#rules[verdict]
          .filter((rule) => matchGlob(rule.tool, tool.name))
          .map((rule): [Verdict, Rule] => [verdict, rule]),
      )
      this.#byTool.set(tool.name, candidates)
    }
    if (candidates.length === 0) return null
    const texts = new ArgumentTexts(tool, params)
    for (const [verdict, rule] of candidates) {
      if (rule.argument === null || texts.match(rule.argument, verdict)) return { verdict, rule: rule.text }
    }
    return null
  }
}

/**
 * What a glob is held against: the main argument (the first that the schema declares, if it is a text or a list of
 * texts), or all arguments as JSON. `deny` and `ask` look at every text argument: there, matching too much is the
 * safe side.
 */
class ArgumentTexts {
  readonly #params: Record<string, unknown>
  readonly #main: string | null
  #json: string | null = null

  constructor(tool: Tool, params: unknown) {
    this.#params = Object(params)
    this.#main = mainArgument(tool, params)
  }

  match(glob: string, verdict: Verdict): boolean {
    if (verdict === 'allow' && this.#main !== null && matchGlob(glob, this.#main)) {
      return !escapesPath(glob, this.#main)
    }
    if (matchGlob(glob, this.#asJson())) return true
    if (verdict === 'allow') return false
    return Object.values(this.#params).some((value) => {
      const text = argumentText(value)
      return text !== null && matchGlob(glob, text)
    })
  }

  #asJson(): string {
    this.#json ??= canonicalJson(this.#params)
    return this.#json
  }
}

/** `src/*` must not let `src/../../etc/passwd` through. */
function escapesPath(glob: string, text: string): boolean {
  return glob !== '*' && text !== glob && /(^|[/\\])\.\.([/\\]|$)/.test(text)
}

function mainArgument(tool: Tool, params: unknown): string | null {
  const [first] = tool.parameterNames
  return first === undefined ? null : argumentText((Object(params) as Record<string, unknown>)[first])
}

function argumentText(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  return null
}

/** The rule that allows exactly this call and nothing else. */
export function exactRule(tool: Tool, params: unknown): string {
  const keys = Object.keys(Object(params))
  if (keys.length === 0 && tool.parameterNames.length === 0) return tool.name
  const main = tool.parameterNames.length === 1 && keys.length <= 1 ? mainArgument(tool, params) : null
  return `${tool.name}(${escapeGlob(main ?? canonicalJson(params))})`
}

function parseRule(text: string, field: string): Rule {
  const match = typeof text === 'string' ? /^([^()\s]+)(?:\(([\s\S]*)\))?$/.exec(text) : null
  if (!match?.[1]) {
    throw new CurfewError(
      'INVALID_OPTION',
      `${field}: ${JSON.stringify(text)} is not a rule; write "tool" or "tool(glob)"`,
      {
        field,
      },
    )
  }
  return { text, tool: match[1], argument: match[2] ?? null }
}
