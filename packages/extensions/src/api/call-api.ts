import type { ToolContext } from '@curfew/core'
import { ApiError } from './api-error.ts'
import type { ApiPlan } from './api-plan.ts'
import { type ApiRequest, buildRequest, type Params, type Secrets } from './build-request.ts'
import { type Answer, exchange } from './exchange.ts'
import { followRedirect } from './follow-redirect.ts'
import { nameRequest } from './name-request.ts'
import { type Expectation, readAnswer } from './read-answer.ts'
import { type Transport, transportFor } from './transport.ts'
import { transportError } from './transport-error.ts'

const mostRedirects = 5
const noSecrets: Secrets = new Map()

/** One call of an API tool: its secrets, the request, redirects, the answer. */
export async function callApi(plan: ApiPlan, params: Params, context: ToolContext): Promise<unknown> {
  const secrets = plan.secrets.length === 0 ? noSecrets : await readSecrets(plan, context)
  let request = buildRequest(plan, params, secrets)
  /** It was sent to another origin, and the secrets stayed behind. */
  let strayed = false
  const transport = openTransport(request, context)
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await exchange(transport, request, context)
      const next = followRedirect(request, answer, { origin: plan.url.origin, secrets })
      if (next === null) return readAnswer(answer, expectation(plan, request, strayed))
      if (redirects === mostRedirects) throw tooManyRedirects(plan, answer)
      strayed ||= next.origin !== request.origin
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
    throw transportError(`${nameRequest(request)} through the proxy of the environment`, error)
  }
}

function expectation({ format, secrets }: ApiPlan, request: ApiRequest, strayed: boolean): Expectation {
  const key = secrets[0] ?? null
  return {
    request,
    format,
    key: strayed ? null : key,
    withheld: strayed && key !== null,
  }
}

function tooManyRedirects({ method, url }: ApiPlan, { status }: Answer): ApiError {
  const message = `${method} ${url.origin} redirects again and again; more than ${mostRedirects} are not followed`
  return new ApiError('TOOL_FAILED', message, { status, body: '' })
}
