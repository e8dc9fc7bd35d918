import { type Rule, rules } from '@curfew/review'

const languageRule =
  /^(?:description-|name-|english-only$|parameter-|unknown-|agent-|enum-in-prose$|text-mismatch$)/

/** The rules about language, which a model can judge. What follows from the structure of a definition is certain. */
export const languageRules: ReadonlyMap<string, Rule> = new Map(
  rules.filter(({ id }) => languageRule.test(id)).map((rule) => [rule.id, rule]),
)
