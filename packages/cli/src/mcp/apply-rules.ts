import type { Runtime } from '@curfew/core'
import type { ConfiguredRules } from '@curfew/extensions/internal'

const verdicts = ['deny', 'ask', 'allow'] as const

export interface RuleChanges {
  readonly added: number
  readonly removed: number
}

/** Changes the rules of a runtime from one configuration to another. What is stricter is changed first. */
export function applyRules(
  rules: Runtime['rules'],
  before: ConfiguredRules,
  after: ConfiguredRules,
): RuleChanges {
  const changes = verdicts.flatMap((verdict) => {
    const isAllow = verdict === 'allow'
    const added = after[verdict].filter((rule) => !before[verdict].includes(rule))
    const removed = before[verdict].filter((rule) => !after[verdict].includes(rule))
    return [
      ...added.map((rule) => ({
        isStricter: !isAllow,
        isAdded: true,
        apply: () => rules.add(verdict, rule),
      })),
      ...removed.map((rule) => ({
        isStricter: isAllow,
        isAdded: false,
        apply: () => void rules.remove(verdict, rule),
      })),
    ]
  })
  for (const { apply } of changes.toSorted((a, b) => Number(b.isStricter) - Number(a.isStricter))) apply()
  const added = changes.filter(({ isAdded }) => isAdded).length
  return { added, removed: changes.length - added }
}
