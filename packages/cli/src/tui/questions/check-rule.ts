import type { ApprovalQuestion } from '@curfew/core/internal'
import { hasWildcard } from '@curfew/core/internal'
import { oneRow } from './fold-line.ts'

export interface CheckedRule {
  /** What the rule allows, in words. */
  readonly meaning: string
  /** Why it cannot be the answer; empty if it can. */
  readonly problem: string
}

/** Comparing a rule takes time proportional to its length. What the runtime proposes may be longer. */
const maxRuleLength = 2_000

type AskedCall = Pick<ApprovalQuestion, 'tool' | 'params' | 'exactRule'>

/** Describes a rule that a person is about to add, and checks it. `covers`: whether it allows the call; throws if it is not a rule. */
export function checkRule(rule: string, question: AskedCall, covers: (rule: string) => boolean): CheckedRule {
  const meaning = describeRule(rule, question)
  if (rule.length > maxRuleLength && rule !== question.exactRule)
    return {
      meaning,
      problem: `A rule has at most ${maxRuleLength} characters; this one has ${rule.length}.`,
    }
  const invalid = { meaning: '', problem: 'This is not a rule; expected one such as tool or tool(pattern).' }
  if (meaning === '') return invalid
  try {
    return { meaning, problem: covers(rule) ? '' : 'This rule does not match the call that is asked about.' }
  } catch {
    return invalid
  }
}

/** What a rule allows; empty if it is not a rule. */
function describeRule(rule: string, { tool, params, exactRule }: AskedCall): string {
  const [, name, pattern] = /^([^()\s]+)(?:\(([\s\S]*)\))?$/.exec(rule) ?? []
  if (name === undefined) return ''
  const subject = isCommand(params) ? 'command' : 'call'
  if (rule === exactRule && pattern !== undefined)
    return subject === 'command' ? 'exactly this command' : 'exactly this call, with these arguments'
  const tools = hasWildcard(name) ? `every tool whose name matches ${shorten(name)}` : shorten(name)
  if (pattern === undefined || pattern === '*')
    return name === tool || hasWildcard(name)
      ? `every call of ${tools}, with any arguments`
      : `every call of ${tools}`
  if (!hasWildcard(pattern))
    return `only ${subject}s of ${tools} with exactly these arguments: ${shorten(pattern)}`
  return `every ${subject} of ${tools} that matches ${shorten(pattern)}, where * stands for anything`
}

/** A tool that runs commands has their text as its only argument. */
function isCommand(params: unknown): boolean {
  const entries = Object.entries(Object(params))
  return entries.length === 1 && entries[0]![0] === 'command'
}

function shorten(text: string): string {
  const shown = oneRow(text.slice(0, 60))
  return text.length > 60 ? `${shown}…` : shown
}
