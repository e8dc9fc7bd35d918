import { escapeInvisible } from '@curfew/core/internal'
import type { JsonObject } from './json-object.ts'

/**
 * A person who has several servers behind one gateway must see which of them asks; with only one, `server` is `null`. In either
 * case the question must not contain anything that cannot be seen.
 */
export function labelQuestion(server: string | null, method: string, params: JsonObject): JsonObject {
  if (method !== 'elicitation/create' || typeof params.message !== 'string') return params
  const message = server === null ? params.message : `${server} asks: ${params.message}`
  return { ...params, message: escapeInvisible(message) }
}

/** The same for a server of 2026, whose questions come as a result. */
export function labelQuestions<R extends JsonObject>(server: string | null, result: R): R {
  const { inputRequests } = result as { inputRequests?: Readonly<Record<string, unknown>> }
  if (typeof inputRequests !== 'object' || inputRequests === null) return result
  const signed = Object.entries(inputRequests).map(([key, request]) => {
    const { method, params } = Object(request) as { method?: unknown; params?: unknown }
    if (typeof method !== 'string') return [key, request]
    return [key, { ...Object(request), params: labelQuestion(server, method, Object(params)) }]
  })
  return { ...result, inputRequests: Object.fromEntries(signed) }
}
