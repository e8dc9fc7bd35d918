import { CurfewError } from '../errors/curfew-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { Tool } from '../tool/tool.ts'
import { escapeGlob, hasWildcard, matchGlob } from './match-glob.ts'

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
          .filter((rule) => isAbout(rule, verdict, tool))
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

/** Rules against a command are also about the other tools that run commands; a tool is only ever allowed by its own name. */
function isAbout(rule: Rule, verdict: Verdict, tool: Tool): boolean {
  if (matchGlob(rule.tool, tool.name)) return true
  return (
    verdict !== 'allow' &&
    rule.argument !== null &&
    tool.sharesRulesWith.some((name) => matchGlob(rule.tool, name))
  )
}

/**
 * What a glob is held against: the main argument (the first that the schema declares), or all arguments as JSON.
 * `deny` and `ask` look at every argument: there, matching too much is the safe side. `allow` sees the main argument
 * only if there are none that the schema does not know, and never lets a path with `..` through a wildcard.
 */
class ArgumentTexts {
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
        matchGlob(glob, this.#asJson()) || Object.values(this.#params).some((value) => touches(glob, value))
      )
    }
    if (!matchesWhole(glob, this.#main) && !matchGlob(glob, this.#asJson())) return false
    return glob === '*' || !hasWildcard(glob) || !Object.values(this.#params).some(climbs)
  }

  #asJson(): string {
    this.#json ??= canonicalJson(this.#params)
    return this.#json
  }
}

/** A text as a whole; a list word by word, where a last `*` stands for all the rest. */
function matchesWhole(glob: string, value: unknown): boolean {
  if (typeof value === 'string') return matchGlob(glob, value)
  if (!isTextList(value)) return false
  const words = glob.split(/(?<!\\) /)
  const open = words.at(-1) === '*'
  if (open) words.pop()
  if (open ? value.length < words.length : value.length !== words.length) return false
  return words.every((word, index) => matchGlob(word, value[index]!))
}

/**
 * Any way in which a glob could be meant for this value. A text may be a command that runs another one (`timeout 5 rm x`,
 * `sh -c "cd y; rm x"`, `/bin/rm x`), so a glob also counts where it matches from some word on.
 */
function touches(glob: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return touchesText(glob, String(value))
  const inside: unknown[] = Object.values(value)
  if (inside.some((item) => touches(glob, item))) return true
  return Array.isArray(value) && touchesText(glob, inside.flat(depthOfLists).join(' '))
}

const depthOfLists = 8

function touchesText(glob: string, text: string): boolean {
  if (matchGlob(glob, text)) return true
  // Most texts do not even contain the first letters of the glob.
  const [beginning] = /^[^*?\\\s;|&()<>`'"$/]*/.exec(glob)!
  if (!text.includes(beginning)) return false
  const words = text.split(/[\s;|&()<>`'"$]+/).filter(Boolean)
  // `/bin/rm`, and `\rm`, which is how a shell is told to use no alias.
  const programs = words.map((word) => word.replace(/^.*[/\\]/, ''))
  return [words, programs].some((list) => {
    const joined = list.join(' ')
    // With a space at the end, `rm *` is also about an `rm` that gets its arguments from elsewhere, as from xargs.
    return [joined, `${joined} `].some((line) => matchGlob(glob, line) || matchGlob(`* ${glob}`, line))
  })
}

/** `src/*` must not let `src/../../etc/passwd` through. */
function climbs(value: unknown): boolean {
  if (typeof value === 'string') return /(^|[/\\])\.\.([/\\]|$)/.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(climbs)
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** The rule that allows exactly this call and nothing else. */
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
      `${field}: ${JSON.stringify(text)} is not a rule; write "tool" or "tool(glob)"`,
      {
        field,
      },
    )
  }
  return { text, tool: match[1], argument: match[2] ?? null }
}
