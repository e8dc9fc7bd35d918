import type { JsonSchema } from '@curfew/core'
import { isUnencrypted } from '../secrets/host-use.ts'
import type { ApiFile, Method, ResponseFormat, Scalar } from './api-file.ts'
import { checkParameters, mayBeEmpty, parametersToSchema } from './api-parameters.ts'
import { headerNameProblem, isHeaderValue } from './header-rules.ts'
import { parseLooseTemplate, type Template, templateParameters, templateSecrets } from './template.ts'
import { escapeValue, parseUrlTemplate, type UrlTemplate } from './url-template.ts'

/** The validated content of an API file, prepared once so that each call only fills it in. */
export interface ApiPlan {
  readonly method: Method
  readonly url: UrlTemplate
  /** Alternating names and values. */
  readonly fixedHeaders: readonly string[]
  /** The content type of a body; `null` if the file's headers set it. */
  readonly bodyType: string | null
  readonly headers: readonly Variable[]
  /** `a=b&c=d`, escaped. */
  readonly fixedQuery: string
  readonly query: readonly Variable[]
  readonly auth: ApiFile['auth']
  /** Parameters that are not used in the URL or a header. */
  readonly unplaced: readonly string[]
  /** Where the unplaced parameters are sent: in the query, or in a body of this type. */
  readonly unplacedIn: 'query' | 'json' | 'form' | 'raw'
  /** Parameters that may be empty in the path. */
  readonly optional: ReadonlySet<string>
  readonly format: ResponseFormat | undefined
  /** In the order in which they are read; a 401 or 403 is attributed to the first. */
  readonly secrets: readonly string[]
  readonly schema: JsonSchema | undefined
}

/** A header or query parameter whose value depends on the call. */
export interface Variable {
  readonly name: string
  readonly template: Template
  /** A secret that is appended to the text. */
  readonly secret: string | null
}

type Report = (field: string, message: string, severity?: 'error' | 'warning') => void

const secretShape = /^(|.*\s)secret:([A-Za-z_][A-Za-z0-9_]*)$/

const defaultHeaders = [
  ['user-agent', 'curfew'],
  ['accept', 'application/json, */*;q=0.8'],
  ['accept-encoding', 'gzip, deflate, br'],
] as const

export const plainHeaders: readonly string[] = defaultHeaders.flat()

export const bodyTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  raw: 'text/plain; charset=utf-8',
} as const

/** Validates an API file and prepares its requests. Returns `null` if an error was reported. */
export function planApi(file: ApiFile, report: Report): ApiPlan | null {
  let isUsable = true
  const fail = (field: string, message: string): void => {
    isUsable = false
    report(field, message)
  }
  const { endpoint, auth, parameters } = file
  const { method, content_type: contentType } = endpoint
  const url = parseUrlTemplate(endpoint.url)
  if (typeof url === 'string') fail('endpoint.url', url)
  checkParameters(parameters, fail)
  const headers = Object.entries(endpoint.headers).map(toVariable)
  const query = Object.entries(endpoint.query).map(toVariable)
  checkHeaders(headers, auth, fail)
  for (const { name, template } of query) {
    if (Object.hasOwn(parameters, name) && !templateParameters(template).includes(name)) {
      fail(`endpoint.query.${name}`, 'is also a parameter; keep one of them')
    }
  }
  const placed = findPlaced(file, typeof url === 'string' ? null : url, { headers, query }, fail)
  if (!isUsable || typeof url === 'string') return null
  const secrets = secretsOf(auth, [...headers, ...query], url)
  if (secrets.length > 0 && isUnencrypted(url)) {
    report('endpoint.url', 'is not https, so others on the network can read the secret', 'warning')
  }
  const names = new Set(headers.map(({ name }) => name.toLowerCase()))
  if (auth !== undefined) names.add(authHeader(auth).toLowerCase())
  const unplaced = Object.keys(parameters).filter((name) => !placed.has(name))
  const inQuery = method === 'GET' || method === 'HEAD' || method === 'DELETE'
  if (contentType === 'raw') {
    const [body, ...more] = unplaced
    const isText = body !== undefined && parameters[body]!.type === 'string'
    if (inQuery || !isText || more.length > 0) {
      const expected = 'a POST, PUT or PATCH with exactly one string parameter that is not in the URL'
      fail('endpoint.content_type', `"raw" requires ${expected} or a header; that parameter is the body`)
      return null
    }
  }
  return {
    method,
    url,
    fixedHeaders: [
      ...defaultHeaders.filter(([name]) => !names.has(name)),
      ...headers.filter(isFixed).map(({ name, template }) => [name, template[0]!] as const),
    ].flat(),
    bodyType: names.has('content-type') ? null : bodyTypes[contentType],
    headers: headers.filter((header) => !isFixed(header)),
    fixedQuery: query
      .filter(isFixed)
      .map(({ name, template }) => `${escapeValue(name)}=${escapeValue(template[0]!)}`)
      .join('&'),
    query: query.filter((variable) => !isFixed(variable)),
    auth,
    unplaced,
    optional: new Set(Object.keys(parameters).filter((name) => mayBeEmpty(parameters[name]!))),
    unplacedIn: inQuery ? 'query' : contentType,
    format: file.response?.format,
    secrets,
    schema: Object.keys(parameters).length === 0 ? undefined : parametersToSchema(parameters, placed),
  }
}

/** In the order of `ApiPlan.secrets`. */
function secretsOf(auth: ApiFile['auth'], variables: readonly Variable[], url: UrlTemplate): string[] {
  const names = new Set<string>(auth === undefined ? [] : [auth.env])
  for (const { template, secret } of variables) {
    for (const name of templateSecrets(template)) names.add(name)
    if (secret !== null) names.add(secret)
  }
  for (const template of [url.path, url.query]) for (const name of templateSecrets(template)) names.add(name)
  return [...names]
}

function toVariable([name, value]: readonly [string, Scalar]): Variable {
  const text = String(value)
  const [, prefix = text, secret = null] = secretShape.exec(text) ?? []
  return { name, template: parseLooseTemplate(prefix), secret }
}

function isFixed({ template, secret }: Variable): boolean {
  return template.length === 1 && secret === null
}

function checkHeaders(headers: readonly Variable[], auth: ApiFile['auth'], fail: Report): void {
  const seen = new Set<string>()
  if (auth?.header !== undefined) {
    const problem = headerNameProblem(auth.header)
    if (problem !== null) fail('auth.header', problem)
  }
  if (auth !== undefined) seen.add(authHeader(auth).toLowerCase())
  for (const { name, template } of headers) {
    const at = `endpoint.headers.${name}`
    const problem = headerNameProblem(name)
    if (problem !== null) fail(at, problem)
    if (!template.every((part, index) => index % 2 === 1 || isHeaderValue(part)))
      fail(at, 'contains a line break or a character that is not allowed in a header')
    if (seen.has(name.toLowerCase())) fail(at, 'is set twice')
    seen.add(name.toLowerCase())
  }
}

export function authHeader({ type, header }: NonNullable<ApiFile['auth']>): string {
  return header ?? (type === 'apikey' ? 'X-API-Key' : 'Authorization')
}

/** The parameters that are used in the URL or a header. Reports placeholders that are not parameters. */
function findPlaced(
  { parameters }: ApiFile,
  url: UrlTemplate | null,
  { headers, query }: Readonly<Record<'headers' | 'query', readonly Variable[]>>,
  fail: Report,
): ReadonlySet<string> {
  const placed = new Set<string>()
  const collect = (field: string, template: Template): void => {
    for (const name of templateParameters(template)) {
      placed.add(name)
      const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
      if (parameter === undefined) fail(field, `{${name}} is not a parameter; declare it in "parameters"`)
      else if (parameter.type === 'object')
        fail(field, `{${name}} is an object, which cannot be part of a string`)
    }
  }
  if (url !== null) for (const template of [url.path, url.query]) collect('endpoint.url', template)
  for (const { name, template } of headers) collect(`endpoint.headers.${name}`, template)
  for (const { name, template } of query) collect(`endpoint.query.${name}`, template)
  return placed
}
