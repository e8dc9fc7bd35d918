import { collapsePadding, escapeInvisible } from '@curfew/core/internal'
import type { JsonObject } from './json-object.ts'

/**
 * Names the server in its question, and in the title of each field, so that neither can look like Curfew's own. Invisible characters are
 * escaped, and the padding that would push something out of sight is collapsed.
 */
export function labelQuestion(server: string, method: string, params: JsonObject): JsonObject {
  if (method !== 'elicitation/create') return params
  const { message, requestedSchema } = params
  return {
    ...params,
    ...(message !== undefined && { message: `The MCP server ${server} asks: ${visible(message)}` }),
    ...(requestedSchema !== undefined && { requestedSchema: labelForm(server, requestedSchema) }),
  }
}

/** The same for the questions in the result of a 2026 server. */
export function labelQuestions<R extends JsonObject>(server: string, result: R): R {
  const { inputRequests } = result as { inputRequests?: Readonly<Record<string, unknown>> }
  if (typeof inputRequests !== 'object' || inputRequests === null) return result
  const labelled = Object.entries(inputRequests).map(([key, request]) => {
    const { method, params } = Object(request) as { method?: unknown; params?: unknown }
    if (typeof method !== 'string') return [key, request]
    return [key, { ...Object(request), params: labelQuestion(server, method, Object(params)) }]
  })
  return { ...result, inputRequests: Object.fromEntries(labelled) }
}

/** A form has no title or description of its own in MCP, but a client may show them. */
function labelForm(server: string, schema: unknown): JsonObject {
  const { title: _title, description: _description, ...form } = Object(schema) as JsonObject
  const fields = Object.entries(Object(form.properties) as JsonObject)
  const properties = fields.map(([name, field]) => [name, labelField(server, name, Object(field))])
  return { ...form, properties: Object.fromEntries(properties) }
}

/** Clients show the name of a field that has no title. */
function labelField(server: string, name: string, field: JsonObject): JsonObject {
  const { title = name, description } = field
  return {
    ...field,
    title: `${server}: ${visible(title)}`,
    ...(description !== undefined && { description: visible(description) }),
  }
}

/** A server may send something other than a string, which a client could show, too. */
function visible(text: unknown): string {
  return collapsePadding(escapeInvisible(typeof text === 'string' ? text : JSON.stringify(text)))
}
