import type { ToolContext } from '@curfew/core'
import { ApiError } from './api-error.ts'
import type { ApiPlan } from './api-plan.ts'
import { type ApiRequest, buildRequest, type Params, type Secrets } from './build-request.ts'
import { followRedirect } from './follow-redirect.ts'
import { formatRequest } from './format-request.ts'
import { type ResponseContext, readResponse } from './read-response.ts'
import { type ApiResponse, sendHttpRequest } from './send-http-request.ts'
import { type Transport, transportFor } from './transport.ts'
import { transportError } from './transport-error.ts'

const maxRedirects = 5
const noSecrets: Secrets = new Map()

/** Runs one call of an API tool: reads its secrets, sends the request and follows redirects. */
export async function callApi(plan: ApiPlan, params: Params, context: ToolContext): Promise<unknown> {
  const secrets = plan.secrets.length === 0 ? noSecrets : await readSecrets(plan, context)
  let request = buildRequest(plan, params, secrets)
  /** A redirect led to another origin, which is not sent any secrets. */
  let leftOrigin = false
  const transport = openTransport(request, context)
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await sendHttpRequest(transport, request, context)
      const next = followRedirect(request, response, { origin: plan.url.origin, secrets })
      if (next === null) return readResponse(response, responseContext(plan, request, leftOrigin))
      if (redirects === maxRedirects) throw tooManyRedirects(plan, response)
      leftOrigin ||= next.origin !== request.origin
      request = next
    }
  } finally {
    transport.close()
  }
}

async function readSecrets({ secrets }: ApiPlan, context: ToolContext): Promise<Secrets> {
  const values = new Map<string, string>()
  for (const name of secrets) values.set(name, await context.secret(name))
  return values
}

function openTransport(request: ApiRequest, { signal }: ToolContext): Transport {
  try {
    return transportFor(signal)
  } catch (error) {
    throw transportError(`${formatRequest(request)} through the proxy in the environment`, error)
  }
}

function responseContext(
  { format, secrets }: ApiPlan,
  request: ApiRequest,
  leftOrigin: boolean,
): ResponseContext {
  const key = secrets[0] ?? null
  return {
    request,
    format,
    key: leftOrigin ? null : key,
    secretWithheld: leftOrigin && key !== null,
  }
}

function tooManyRedirects({ method, url }: ApiPlan, { status }: ApiResponse): ApiError {
  const message = `${method} ${url.origin}: expected at most ${maxRedirects} redirects, got more`
  return new ApiError('TOOL_FAILED', message, { status, body: '' })
}
