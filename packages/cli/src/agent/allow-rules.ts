import { didYouMean, matchGlob } from '@curfew/core/internal'
import type { ConfigOptions } from '@curfew/extensions'
import { rulePattern } from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'

/** What is probably wrong with the rules of `--allow`: those that match no tool. */
export function unmatchedRules(allow: readonly string[], tools: readonly string[]): readonly string[] {
  return allow.flatMap((rule) => {
    const pattern = rule.replace(/\([\s\S]*$/, '')
    if (tools.some((name) => matchGlob(pattern, name))) return []
    const hint = didYouMean(pattern, tools) || 'curfew tools lists them'
    return [`warning: --allow ${rule}: no tool has this name; ${hint}`]
  })
}

/**
 * Adds the rules of `--allow`: as rules, for calls without another verdict, and as remembered answers, so that they also answer
 * `ask` rules. Deny rules still apply.
 */
export function withAllowRules(options: ConfigOptions, allow: readonly string[]): ConfigOptions {
  const invalid = allow.find((rule) => !new RegExp(rulePattern).test(rule))
  if (invalid !== undefined)
    throw new UsageError(
      `curfew: --allow: expected a rule such as 'tool' or 'tool(glob)', got ${JSON.stringify(invalid)}`,
    )
  if (allow.length === 0) return options
  const { approval } = options
  const { rules, isRemembered } = approval
  return {
    ...options,
    approval: {
      ...approval,
      rules: {
        ...rules,
        allow: [...(rules.allow ?? []), ...allow],
        remembered: [...(rules.remembered ?? []), ...allow],
      },
      isRemembered: (rule) => allow.includes(rule) || (isRemembered?.(rule) ?? true),
    },
  }
}
