import type { RuleLists, Verdict } from '../call/verdict.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { Tool } from '../tool/tool.ts'
import { escapeGlob, hasWildcard, matchGlob } from './match-glob.ts'

export interface RuleMatch {
  readonly verdict: Verdict
  /** The matching rule. */
  readonly rule: string
}

interface Rule {
  readonly text: string
  readonly tool: string
  readonly argument: string | null
}

/** Highest first. */
const precedence: readonly Verdict[] = ['deny', 'ask', 'allow']

export class ApprovalRules {
  readonly #rules: Record<Verdict, Rule[]>
  /** The rules that may apply to a tool, by its name. Most tools have none. */
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
          .filter((rule) => appliesTo(rule, verdict, tool))
          .map((rule): [Verdict, Rule] => [verdict, rule]),
      )
      this.#byTool.set(tool.name, candidates)
    }
    if (candidates.length === 0) return null
    const matcher = new ArgumentMatcher(tool, params)
    for (const [verdict, rule] of candidates) {
      if (rule.argument === null || matcher.match(rule.argument, verdict)) return { verdict, rule: rule.text }
    }
    return null
  }
}

/** A rule that denies or asks by arguments also applies to other tools that run commands; only a tool's own name can allow it. */
function appliesTo(rule: Rule, verdict: Verdict, tool: Tool): boolean {
  if (matchGlob(rule.tool, tool.name)) return true
  return (
    verdict !== 'allow' &&
    rule.argument !== null &&
    tool.sharesRulesWith.some((name) => matchGlob(rule.tool, name))
  )
}

/**
 * Matches a glob against the main argument (the first one in the schema) or all arguments as JSON. `deny` and `ask`
 * consider every argument, because matching too much is safe there. `allow` considers the main argument only if the
 * schema declares all arguments, and a wildcard never matches a path with `..`.
 */
class ArgumentMatcher {
  readonly #params: Record<string, unknown>
  readonly #main: unknown
  #json: string | null = null

  constructor(tool: Tool, params: unknown) {
    const { parameterNames } = tool
    const [first] = parameterNames
    this.#params = Object(params)
    const known = Object.keys(this.#params).every((key) => parameterNames.includes(key))
    this.#main = known && first !== undefined ? this.#params[first] : undefined
  }

  match(glob: string, verdict: Verdict): boolean {
    if (verdict !== 'allow') {
      return (
        matchGlob(glob, this.#asJson()) ||
        Object.values(this.#params).some((value) => matchesAnyPart(glob, value))
      )
    }
    if (!matchesWhole(glob, this.#main) && !matchGlob(glob, this.#asJson())) return false
    return glob === '*' || !hasWildcard(glob) || !Object.values(this.#params).some(hasParentPath)
  }

  #asJson(): string {
    this.#json ??= canonicalJson(this.#params)
    return this.#json
  }
}

/** Matches a whole string, or a list word by word, where a final `*` matches all remaining words. */
function matchesWhole(glob: string, value: unknown): boolean {
  if (typeof value === 'string') return matchGlob(glob, value)
  if (!isStringList(value)) return false
  const words = glob.split(/(?<!\\) /)
  const open = words.at(-1) === '*'
  if (open) words.pop()
  if (open ? value.length < words.length : value.length !== words.length) return false
  return words.every((word, index) => matchGlob(word, value[index]!))
}

/**
 * Whether a glob could apply to any part of a value. A string may be a command that runs another one (`timeout 5 rm x`,
 * `sh -c "cd y; rm x"`, `/bin/rm x`), so the glob may also match from any word on.
 */
function matchesAnyPart(glob: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return matchesAnyWord(glob, String(value))
  const inside: unknown[] = Object.values(value)
  if (inside.some((item) => matchesAnyPart(glob, item))) return true
  return Array.isArray(value) && matchesAnyWord(glob, inside.flat(maxListDepth).join(' '))
}

const maxListDepth = 8

function matchesAnyWord(glob: string, text: string): boolean {
  if (matchGlob(glob, text)) return true
  // A quick check: most strings do not contain the first letters of the glob.
  const [prefix] = /^[^*?\\\s;|&()<>`'"$/]*/.exec(glob)!
  if (!text.includes(prefix)) return false
  const words = text.split(/[\s;|&()<>`'"$]+/).filter(Boolean)
  // `/bin/rm`, and `\rm`, which bypasses a shell alias.
  const programs = words.map((word) => word.replace(/^.*[/\\]/, ''))
  return [words, programs].some((list) => {
    const joined = list.join(' ')
    // With a trailing space, `rm *` also matches an `rm` that gets its arguments from elsewhere, such as xargs.
    return [joined, `${joined} `].some((line) => matchGlob(glob, line) || matchGlob(`* ${glob}`, line))
  })
}

/** `src/*` must not match `src/../../etc/passwd`. */
function hasParentPath(value: unknown): boolean {
  if (typeof value === 'string') return /(^|[/\\])\.\.([/\\]|$)/.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasParentPath)
}

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** The rule that allows exactly this call. */
export function exactRule(tool: Tool, params: unknown): string {
  const values: [string, unknown][] = Object.entries(Object(params))
  if (values.length === 0 && tool.parameterNames.length === 0) return tool.name
  const [only] = values
  const short = values.length === 1 && tool.parameterNames.length === 1 && only![0] === tool.parameterNames[0]
  const text = short && typeof only![1] === 'string' ? only![1] : canonicalJson(params)
  return `${tool.name}(${escapeGlob(text)})`
}

function parseRule(text: string, field: string): Rule {
  const match = typeof text === 'string' ? /^([^()\s]+)(?:\(([\s\S]*)\))?$/.exec(text) : null
  if (!match?.[1]) {
    throw new CurfewError(
      'INVALID_OPTION',
      `${field}: expected a rule such as "tool" or "tool(glob)", got ${JSON.stringify(text)}`,
      {
        field,
      },
    )
  }
  return { text, tool: match[1], argument: match[2] ?? null }
}
