import { parseJson } from '@curfew/core/internal'
import { hostUse } from '@curfew/extensions/internal'
import { isKeyName, isKeyValue } from '../secret/looks-like-key.ts'
import { exampleOf, type Parameter, shapeOf } from './example-parameter.ts'
import type { CurlRequest } from './parse-curl.ts'
import { keyInSegment } from './path-keys.ts'
import { UnsupportedCommand } from './split-shell-words.ts'

export interface TranslatedApi {
  /** The content of the file, without any secret. */
  readonly definition: ApiDefinition
  /** The secrets that the definition references, with a description of their content. */
  readonly secrets: readonly { readonly name: string; readonly content: string }[]
  readonly notes: readonly string[]
  /** Who may use the secrets. */
  readonly secretsFor: string | null
}

export interface ApiDefinition {
  readonly name: string
  readonly description: string
  readonly endpoint: { readonly url: string; readonly method: string; readonly timeout?: number }
  readonly auth?: object
  readonly response?: object
  readonly parameters?: Readonly<Record<string, Parameter>>
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const readingMethods = new Set(['GET', 'HEAD'])
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])
/** Headers of the connection, and those that browsers add to a copied request. */
const dropped =
  /^(?:accept-encoding|connection|content-length|content-type|dnt|pragma|priority|te|transfer-encoding|sec-.*)$/i

/**
 * Converts a curl command to an API file: values become parameters, and secrets become names. Example values become defaults only for
 * GET and HEAD, because a call without arguments must not send an example order from the documentation.
 */
export function curlToApi(name: string, request: CurlRequest): TranslatedApi {
  return new Conversion(name, request).result()
}

class Conversion {
  readonly #name: string
  readonly #request: CurlRequest
  readonly #parameters: Record<string, Parameter> = {}
  readonly #headers: Record<string, string> = {}
  readonly #query: Record<string, string> = {}
  /** Names and values that stay in the URL. */
  readonly #fixed: [string, string][] = []
  readonly #secrets: { name: string; content: string }[] = []
  readonly #notes: string[]
  #auth: object | undefined

  constructor(name: string, request: CurlRequest) {
    this.#name = name
    this.#request = request
    this.#notes = [...request.notes]
  }

  result(): TranslatedApi {
    const { method, url, body, timeoutSeconds } = this.#request
    if (!methods.has(method)) throw new UnsupportedCommand(`a tool cannot send ${method}`)
    if (body !== null && ['GET', 'HEAD', 'DELETE'].includes(method)) {
      throw new UnsupportedCommand(
        `${method} with a body is not supported; with -G, the data goes to the query`,
      )
    }
    this.#readUser()
    // Authorization is read first, because it takes precedence over other keys for `auth`.
    const isLogin = ([header]: readonly [string, string]): boolean => /^authorization$/i.test(header)
    const { headers } = this.#request
    for (const [header, value] of [...headers.filter(isLogin), ...headers.filter((one) => !isLogin(one))])
      this.#readHeader(header, value)
    const path = this.#readPath()
    for (const field of new Set(url.searchParams.keys())) this.#readQuery(field)
    const contentType = this.#readBody()
    const definition = {
      name: this.#name,
      description: `Call ${method} ${url.host}${path.replaceAll(/\{secret:\w+\}/g, '...')}.`,
      endpoint: {
        url: url.origin + path + this.#fixedQuery(),
        method,
        ...(contentType !== null && { content_type: contentType }),
        ...(Object.keys(this.#headers).length > 0 && { headers: this.#headers }),
        ...(Object.keys(this.#query).length > 0 && { query: this.#query }),
        ...(timeoutSeconds !== null && { timeout: timeoutSeconds }),
      },
      ...(this.#auth !== undefined && { auth: this.#auth }),
      ...(Object.keys(this.#parameters).length > 0 && { parameters: this.#parameters }),
    }
    return { definition, secrets: this.#secrets, notes: this.#notes, secretsFor: hostUse(url) }
  }

  #readUser(): void {
    const { url, user } = this.#request
    if (user === null && url.username === '') return
    this.#auth = { type: 'basic', env: this.#secret(user ?? '', 'LOGIN', 'user:password') }
  }

  #readHeader(name: string, value: string): void {
    if (/^cookie$/i.test(name)) {
      throw new UnsupportedCommand('cookies belong to a person, not to a tool; use an API key instead')
    }
    if (/^host$/i.test(name)) throw new UnsupportedCommand('a tool cannot set Host; it is taken from the URL')
    const isRaw = this.#request.body !== null && 'raw' in this.#request.body
    const isDefaultType = /^application\/(?:json|x-www-form-urlencoded)\b/i.test(value)
    if (/^content-type$/i.test(name) && (isRaw || !isDefaultType)) {
      this.#headers[name] = value
      return
    }
    if (value === '' || dropped.test(name)) return
    const [, scheme, rest = ''] = /^(\S+)\s+(.+)$/.exec(value) ?? []
    if (/^authorization$/i.test(name)) {
      if (/^bearer$/i.test(scheme ?? '')) this.#setAuth({ type: 'bearer' }, rest, 'TOKEN', 'the token')
      else if (/^basic$/i.test(scheme ?? '')) this.#setAuth({ type: 'basic' }, '', 'LOGIN', 'user:password')
      else if (scheme === undefined)
        this.#headers[name] = `secret:${this.#secret(value, 'TOKEN', 'the token')}`
      else this.#headers[name] = `${scheme} secret:${this.#secret(rest, 'TOKEN', `what follows ${scheme}`)}`
    } else if (!isKeyName(name) && !isKeyValue(value)) this.#headers[name] = value
    else if (this.#auth === undefined)
      this.#setAuth({ type: 'apikey', header: name }, value, 'KEY', `the value of ${name}`)
    else this.#headers[name] = `secret:${this.#secret(value, 'KEY', `the value of ${name}`)}`
  }

  #setAuth(auth: { type: string; header?: string }, value: string, suffix: string, content: string): void {
    if (this.#auth !== undefined) throw new UnsupportedCommand('it has two logins; remove one of them')
    this.#auth = { ...auth, env: this.#secret(value, suffix, content) }
  }

  /** Adds a secret and returns its name; a variable such as `$NAME` keeps its name. */
  #secret(value: string, suffix: string, content: string): string {
    const variable = /^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(value)?.[1]
    const stem = this.#name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    let name = variable ?? `${/^\d/.test(stem) ? '_' : ''}${stem}_${suffix}`
    for (
      let count = 2;
      variable === undefined && this.#secrets.some((other) => other.name === name);
      count++
    ) {
      name = `${stem}_${suffix}_${count}`
    }
    if (!this.#secrets.some((other) => other.name === name)) this.#secrets.push({ name, content })
    return name
  }

  /** Placeholders such as `{id}`, `:id` or `OWNER` become parameters. */
  #readPath(): string {
    const { host, pathname } = this.#request.url
    const segments = pathname.split('/').map(decodePlaceholders)
    const path = segments
      .map((segment, index) => {
        const key = keyInSegment(host, segments, index)
        if (key === null) return toPlaceholder(segment)
        const name = this.#secret(key.value ?? '', 'TOKEN', 'the key in its path')
        if (key.value !== null && !key.value.startsWith('$'))
          this.#notes.push(
            `a segment of the path looks like a key and was replaced by the secret ${name}; if it is not a key, write it back into the url`,
          )
        return `${key.before}{secret:${name}}${key.after}`
      })
      .join('/')
    if (/[{}]/.test(path.replaceAll(/\{(?:secret:)?[\w-]+\}/g, '')))
      throw new UnsupportedCommand('its URL has braces, which curl expands; expected a single URL')
    for (const [, name] of path.matchAll(/\{([\w-]+)\}/g))
      this.#parameters[name!] = { type: 'string', required: true }
    return path
  }

  #readQuery(name: string): void {
    const values = this.#request.url.searchParams.getAll(name)
    if (isKeyName(name) || isKeyValue(values[0]!)) {
      this.#query[name] = `secret:${this.#secret(values[0]!, 'KEY', `the value of ${name}`)}`
      return
    }
    const staysInQuery = methodsWithBody.has(this.#request.method)
    if (staysInQuery && values.length > 1) {
      for (const value of values) this.#fixed.push([name, value])
      this.#notes.push(`${name} is in the URL more than once, so it is always sent unchanged`)
      return
    }
    // A parameter that is not placed in the query would go to the body.
    const parameter = staysInQuery ? name.replaceAll(/[{}\s"':,]/g, '_') : name
    if (staysInQuery) this.#query[name] = `{${parameter}}`
    if (/^\{[\w-]+\}$/.test(values[0]!)) this.#parameters[parameter] = { type: 'string', required: true }
    else this.#add(parameter, values.length === 1 ? values[0] : values)
  }

  #fixedQuery(): string {
    return this.#fixed.length === 0 ? '' : `?${new URLSearchParams(this.#fixed)}`
  }

  #readBody(): 'json' | 'form' | 'raw' | null {
    const { body } = this.#request
    if (body === null) return null
    if ('raw' in body) {
      if (Object.hasOwn(this.#parameters, 'body'))
        throw new UnsupportedCommand('its path already has a {body}')
      const isShown = !containsKey(body.raw)
      if (!isShown) this.#notes.push('the body seems to contain a secret, so the file has no example of it')
      const example = isShown ? ` ${exampleOf(body.raw)}` : ''
      this.#parameters.body = {
        type: 'string',
        description: `The request body, sent unchanged.${example}`,
        required: true,
      }
      // The content type that curl sends.
      const hasType = Object.keys(this.#headers).some((name) => /^content-type$/i.test(name))
      if (!hasType) this.#headers['Content-Type'] = 'application/x-www-form-urlencoded'
      return 'raw'
    }
    if ('json' in body) {
      for (const [name, value] of Object.entries(parseObject(body.json))) this.#addBodyField(name, value)
      return 'json'
    }
    const fields = new Map<string, string[]>()
    for (const [name, value] of body.fields) fields.set(name, [...(fields.get(name) ?? []), value])
    for (const [name, values] of fields) this.#addBodyField(name, values.length === 1 ? values[0] : values)
    return 'form'
  }

  /** A body cannot refer to secrets, so a key in it becomes a required parameter. */
  #addBodyField(name: string, value: unknown): void {
    if (!isKeyName(name) && !containsKey(value)) return this.#add(name, value)
    this.#parameters[name] = { ...shapeOf(value), required: true }
    this.#notes.push(
      `${name} looks like a secret, or contains one: its value was left out, and every call must provide it`,
    )
  }

  #add(name: string, value: unknown): void {
    if (Object.hasOwn(this.#parameters, name)) {
      throw new UnsupportedCommand(`${name} is used twice, in the URL or in the body`)
    }
    if (value === null) this.#parameters[name] = { type: 'string' }
    else if (readingMethods.has(this.#request.method))
      this.#parameters[name] = { ...shapeOf(value), default: value }
    else this.#parameters[name] = { ...shapeOf(value), description: exampleOf(value), required: true }
  }
}

function parseObject(text: string): object {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    throw new UnsupportedCommand(`its body is not JSON: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UnsupportedCommand('expected a JSON object as body, got another JSON value')
}

/** Is the value a key, or does it contain one? */
function containsKey(value: unknown): boolean {
  if (typeof value === 'string')
    return value.split(/[\s"'<>&]+/).some((word) => isKeyValue(word)) || namesKey(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) => (!Array.isArray(value) && isKeyName(name)) || containsKey(inner),
  )
}

/** `<password>...`, `token=...`: in a string of any format. */
function namesKey(text: string): boolean {
  return [...text.matchAll(/([\w-]+)["']?\s*[:=>]/g)].some(([, name]) => isKeyName(name!))
}

/** Decodes placeholders such as `<id>` and `{id}`. */
function decodePlaceholders(segment: string): string {
  return segment.replaceAll(/%(3C|3E|7B|7D)/gi, (escaped) => decodeURIComponent(escaped))
}

/** `OWNER`, `:id`, `$ID`, `${ID}` and `<id>` as `{id}`; every other segment unchanged. */
function toPlaceholder(text: string): string {
  const [, caps, ...marked] =
    /^(?:(?!.*[A-Z]\d)([A-Z][A-Z0-9_-]+)|:([\w-]+)|\$([A-Za-z_]\w*)|\$\{(\w+)\}|<([\w-]+)>)$/.exec(text) ?? []
  const name = caps ?? marked.find((found) => found !== undefined)
  return name === undefined
    ? text.replaceAll(/[<>]/g, encodeURIComponent)
    : `{${name.toLowerCase().replaceAll('-', '_')}}`
}
