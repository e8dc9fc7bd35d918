import { CredentialRequiredError, CurfewError } from '@curfew/core'
import type { ApiAuth } from './api-file.ts'
import { type ApiPlan, authHeader, bodyTypes, plainHeaders, type Variable } from './api-plan.ts'
import { isHeaderValue } from './header-rules.ts'
import { fill, placesOf, secretOf, secretsIn } from './template.ts'
import { textOf } from './text-of.ts'
import { escapeValue, fillUrl } from './url-template.ts'

export interface ApiRequest {
  readonly method: string
  readonly origin: string
  /** With its query. */
  readonly path: string
  /** The path for messages: without the query and without secrets. */
  readonly shown: string
  /** A secret is part of the path. */
  readonly hidesPath: boolean
  /** Names and values by turns. */
  readonly headers: readonly string[]
  /** The same, without anything that the file or the call says. */
  readonly plainHeaders: readonly string[]
  readonly body: string | null
}

export type Params = Readonly<Record<string, unknown>>
export type Secrets = ReadonlyMap<string, string>

/** Puts a request together from what the file says and what the call brings. */
export function buildRequest(plan: ApiPlan, params: Params, secrets: Secrets): ApiRequest {
  const headers = [...plan.fixedHeaders]
  for (const header of plan.headers)
    if (!isLeftOut(header, params)) headers.push(header.name, headerValue(header, params, secrets))
  if (plan.auth !== undefined) headers.push(authHeader(plan.auth), authValue(plan.auth, secrets))
  const body = bodyOf(plan, params)
  if (body !== null && plan.bodyType !== null) headers.push('content-type', plan.bodyType)
  const secret = (name: string): string => usableInPath(name, secrets)
  const { path, shown } = fillUrl(plan.url, { params, optional: plan.optional, secret })
  const query = queryOf(plan, params, secrets)
  return {
    method: plan.method,
    origin: plan.url.origin,
    path: query === '' ? path : path + (path.includes('?') ? '&' : '?') + query,
    shown,
    hidesPath: secretsIn(plan.url.path).length > 0,
    headers,
    plainHeaders:
      body === null || plan.rest === 'query'
        ? plainHeaders
        : [...plainHeaders, 'content-type', bodyTypes[plan.rest]],
    body,
  }
}

/** A header or query value that consists only of an optional parameter is omitted without it. */
function isLeftOut({ template, secret }: Variable, params: Params): boolean {
  const [place] = placesOf(template)
  const isAlone = template.length === 3 && template[0] === '' && template[2] === '' && secret === null
  return isAlone && place !== undefined && params[place] === undefined
}

function headerValue({ name, template, secret }: Variable, params: Params, secrets: Secrets): string {
  const text = fill(template, (parameter) => {
    const inside = secretOf(parameter)
    if (inside !== null) return sendable(inside, secrets)
    const value = textOf(params[parameter] ?? '')
    if (isHeaderValue(value)) return value
    throw new CurfewError(
      'INVALID_PARAMS',
      `${parameter} cannot be used: it goes into the header ${name}, which takes no line breaks and only Latin-1 characters`,
      { field: parameter },
    )
  })
  return secret === null ? text : text + sendable(secret, secrets)
}

function authValue({ type, env }: ApiAuth, secrets: Secrets): string {
  if (type === 'apikey') return sendable(env, secrets)
  if (type === 'bearer') return `Bearer ${sendable(env, secrets)}`
  const value = secrets.get(env)!
  if (!value.includes(':')) throw unusableSecret(env, 'it must be user:password')
  return `Basic ${Buffer.from(value).toString('base64')}`
}

/** The value of a secret that goes into a header. No message may show it. */
function sendable(name: string, secrets: Secrets): string {
  const value = secrets.get(name)!
  if (isHeaderValue(value)) return value
  throw unusableSecret(name, 'a header takes no line breaks and only Latin-1 characters')
}

function usableInPath(name: string, secrets: Secrets): string {
  const value = secrets.get(name)!
  if (value !== '' && !/^\.{1,2}$/.test(value)) return value
  throw unusableSecret(name, 'as a part of the path it must not be empty, . or ..')
}

function unusableSecret(key: string, why: string): CredentialRequiredError {
  return new CredentialRequiredError(`the secret ${key} cannot be sent as it is: ${why}`, {
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
    if (isLeftOut(variable, params)) continue
    const { name, template, secret } = variable
    const text = fill(template, (place) => {
      const inside = secretOf(place)
      return inside === null ? textOf(params[place] ?? '') : secrets.get(inside)!
    })
    add(name, secret === null ? text : text + secrets.get(secret)!)
  }
  if (plan.rest === 'query') for (const [name, text] of textsOf(plan, params)) add(name, text)
  return query
}

function bodyOf(plan: ApiPlan, params: Params): string | null {
  if (plan.rest === 'query' || plan.others.length === 0) return null
  // The file has exactly one such parameter, a string.
  if (plan.rest === 'raw') return (params[plan.others[0]!] as string | undefined) ?? null
  if (plan.rest === 'form') return new URLSearchParams(textsOf(plan, params)).toString()
  return JSON.stringify(Object.fromEntries(plan.others.map((name) => [name, params[name]])))
}

/** An array is the same name again and again. */
function textsOf({ others }: ApiPlan, params: Params): [string, string][] {
  const texts: [string, string][] = []
  for (const name of others) {
    const value = params[name]
    if (Array.isArray(value)) for (const item of value) texts.push([name, textOf(item)])
    else if (value !== undefined) texts.push([name, textOf(value)])
  }
  return texts
}
