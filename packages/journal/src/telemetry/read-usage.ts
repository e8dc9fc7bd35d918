import type { Attributes } from '@opentelemetry/api'
import * as names from './attributes.ts'

/** The tokens that a provider reports. The second version of the specification has numbers, later ones have objects. */
export function readUsage(usage: unknown): Attributes {
  const fields = Object(usage) as Record<string, unknown>
  const input = Object(fields.inputTokens) as Record<string, unknown>
  const output = Object(fields.outputTokens) as Record<string, unknown>
  const found: Attributes = {}
  const add = (name: string, ...values: readonly unknown[]): void => {
    const count = values.find(isCount)
    if (count !== undefined) found[name] = count
  }
  add(names.inputTokens, input.total, fields.inputTokens)
  add(names.outputTokens, output.total, fields.outputTokens)
  add(names.cacheReadTokens, input.cacheRead, fields.cachedInputTokens)
  add(names.cacheWriteTokens, input.cacheWrite)
  add(names.reasoningTokens, output.reasoning, fields.reasoningTokens)
  return found
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
