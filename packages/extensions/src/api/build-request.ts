import { CredentialRequiredError, CurfewError } from '@curfew/core'
import type { ApiAuth } from './api-file.ts'
import { type ApiPlan, authHeader, bodyTypes, plainHeaders, type Variable } from './api-plan.ts'
import { isHeaderValue } from './header-rules.ts'
import { stringifyValue } from './stringify-value.ts'
import { fillTemplate, placeholderSecret, templateParameters, templateSecrets } from './template.ts'
import { escapeValue, fillUrl } from './url-template.ts'

export interface ApiRequest {
  readonly method: string
  readonly origin: string
  /** With the query. */
  readonly path: string
  /** The path for messages: without the query and without secrets. */
  readonly displayPath: string
  /** Whether the path contains a secret. */
  readonly hidesPath: boolean
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** The same without headers that come from the file or the call. */
  readonly plainHeaders: readonly string[]
  readonly body: string | null
}

export type Params = Readonly<Record<string, unknown>>
export type Secrets = ReadonlyMap<string, string>

/** Builds the request of one call. */
export function buildRequest(plan: ApiPlan, params: Params, secrets: Secrets): ApiRequest {
  const headers = [...plan.fixedHeaders]
  for (const header of plan.headers)
    if (!isOmitted(header, params)) headers.push(header.name, headerValue(header, params, secrets))
  if (plan.auth !== undefined) headers.push(authHeader(plan.auth), authValue(plan.auth, secrets))
  const body = bodyOf(plan, params)
  if (body !== null && plan.bodyType !== null) headers.push('content-type', plan.bodyType)
  const secret = (name: string): string => pathSecret(name, secrets)
  const { path, displayPath } = fillUrl(plan.url, { params, optional: plan.optional, secret })
  const query = queryOf(plan, params, secrets)
  return {
    method: plan.method,
    origin: plan.url.origin,
    path: query === '' ? path : path + (path.includes('?') ? '&' : '?') + query,
    displayPath,
    hidesPath: templateSecrets(plan.url.path).length > 0,
    headers,
    plainHeaders:
      body === null || plan.unplacedIn === 'query'
        ? plainHeaders
        : [...plainHeaders, 'content-type', bodyTypes[plan.unplacedIn]],
    body,
  }
}

/** A header or query value that consists only of an optional parameter is omitted without it. */
function isOmitted({ template, secret }: Variable, params: Params): boolean {
  const [parameter] = templateParameters(template)
  const isAlone = template.length === 3 && template[0] === '' && template[2] === '' && secret === null
  return isAlone && parameter !== undefined && params[parameter] === undefined
}

function headerValue({ name, template, secret }: Variable, params: Params, secrets: Secrets): string {
  const text = fillTemplate(template, (parameter) => {
    const secretName = placeholderSecret(parameter)
    if (secretName !== null) return headerSecret(secretName, secrets)
    const value = stringifyValue(params[parameter] ?? '')
    if (isHeaderValue(value)) return value
    throw new CurfewError(
      'INVALID_PARAMS',
      `${parameter} cannot be used: it is sent in the header ${name}, which allows only Latin-1 characters and no line breaks`,
      { field: parameter },
    )
  })
  return secret === null ? text : text + headerSecret(secret, secrets)
}

function authValue({ type, env }: ApiAuth, secrets: Secrets): string {
  if (type === 'apikey') return headerSecret(env, secrets)
  if (type === 'bearer') return `Bearer ${headerSecret(env, secrets)}`
  const value = secrets.get(env)!
  if (!value.includes(':')) throw unusableSecret(env, 'it must be user:password')
  return `Basic ${Buffer.from(value).toString('base64')}`
}

/** The value of a secret for a header. No message may contain it. */
function headerSecret(name: string, secrets: Secrets): string {
  const value = secrets.get(name)!
  if (isHeaderValue(value)) return value
  throw unusableSecret(name, 'a header allows only Latin-1 characters and no line breaks')
}

function pathSecret(name: string, secrets: Secrets): string {
  const value = secrets.get(name)!
  if (value !== '' && !/^\.{1,2}$/.test(value)) return value
  throw unusableSecret(name, 'as part of the path it must not be empty, . or ..')
}

function unusableSecret(key: string, reason: string): CredentialRequiredError {
  return new CredentialRequiredError(`the secret ${key} cannot be sent: ${reason}`, {
    key,
    reason: 'rejected',
    retrySafe: true,
  })
}

function queryOf(plan: ApiPlan, params: Params, secrets: Secrets): string {
  let query = plan.fixedQuery
  const add = (name: string, text: string): void => {
    query += `${query === '' ? '' : '&'}${escapeValue(name)}=${escapeValue(text)}`
  }
  for (const variable of plan.query) {
    if (isOmitted(variable, params)) continue
    const { name, template, secret } = variable
    const text = fillTemplate(template, (name) => {
      const secretName = placeholderSecret(name)
      return secretName === null ? stringifyValue(params[name] ?? '') : secrets.get(secretName)!
    })
    add(name, secret === null ? text : text + secrets.get(secret)!)
  }
  if (plan.unplacedIn === 'query') for (const [name, text] of formEntries(plan, params)) add(name, text)
  return query
}

function bodyOf(plan: ApiPlan, params: Params): string | null {
  if (plan.unplacedIn === 'query' || plan.unplaced.length === 0) return null
  // The file has exactly one such parameter, a string.
  if (plan.unplacedIn === 'raw') return (params[plan.unplaced[0]!] as string | undefined) ?? null
  if (plan.unplacedIn === 'form') return new URLSearchParams(formEntries(plan, params)).toString()
  return JSON.stringify(Object.fromEntries(plan.unplaced.map((name) => [name, params[name]])))
}

/** An array repeats its name for every element. */
function formEntries({ unplaced }: ApiPlan, params: Params): [string, string][] {
  const entries: [string, string][] = []
  for (const name of unplaced) {
    const value = params[name]
    if (Array.isArray(value)) for (const item of value) entries.push([name, stringifyValue(item)])
    else if (value !== undefined) entries.push([name, stringifyValue(value)])
  }
  return entries
}
