import type { Fields } from './fields.ts'

/** A person who has several servers behind one gateway must see which of them asks. */
export function signQuestion(server: string, method: string, params: Fields): Fields {
  return method === 'elicitation/create' && typeof params.message === 'string'
    ? { ...params, message: `${server} asks: ${params.message}` }
    : params
}

/** The same for a server of 2026, whose questions come as a result. */
export function signQuestions<R extends Fields>(server: string, result: R): R {
  const { inputRequests } = result as { inputRequests?: Readonly<Record<string, unknown>> }
  if (typeof inputRequests !== 'object' || inputRequests === null) return result
  const signed = Object.entries(inputRequests).map(([key, request]) => {
    const { method, params } = Object(request) as { method?: unknown; params?: unknown }
    if (typeof method !== 'string') return [key, request]
    return [key, { ...Object(request), params: signQuestion(server, method, Object(params)) }]
  })
  return { ...result, inputRequests: Object.fromEntries(signed) }
}
