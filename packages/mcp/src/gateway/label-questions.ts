import { escapeInvisible } from '@curfew/core/internal'
import type { JsonObject } from './json-object.ts'

/**
 * Prefixes a question with the name of its server, so that a person sees which of several servers asks; with only one, `server` is
 * `null`. Invisible characters are escaped in either case.
 */
export function labelQuestion(server: string | null, method: string, params: JsonObject): JsonObject {
  if (method !== 'elicitation/create' || typeof params.message !== 'string') return params
  const message = server === null ? params.message : `${server} asks: ${params.message}`
  return { ...params, message: escapeInvisible(message) }
}

/** The same for the questions in the result of a 2026 server. */
export function labelQuestions<R extends JsonObject>(server: string | null, result: R): R {
  const { inputRequests } = result as { inputRequests?: Readonly<Record<string, unknown>> }
  if (typeof inputRequests !== 'object' || inputRequests === null) return result
  const labelled = Object.entries(inputRequests).map(([key, request]) => {
    const { method, params } = Object(request) as { method?: unknown; params?: unknown }
    if (typeof method !== 'string') return [key, request]
    return [key, { ...Object(request), params: labelQuestion(server, method, Object(params)) }]
  })
  return { ...result, inputRequests: Object.fromEntries(labelled) }
}
