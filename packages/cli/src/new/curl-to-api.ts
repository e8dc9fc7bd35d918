import { parseJson } from '@curfew/core/internal'
import { hostUse } from '@curfew/extensions/internal'
import { isKeyName, isKeyValue } from '../secret/looks-like-key.ts'
import { exampleOf, type Parameter, shapeOf } from './example-parameter.ts'
import type { CurlRequest } from './parse-curl.ts'
import { keyInSegment } from './path-keys.ts'
import { Untranslatable } from './split-shell-words.ts'

export interface TranslatedApi {
  /** The content of the file. No secret is in it. */
  readonly definition: ApiDefinition
  /** Names of secrets, with a word on what they are. */
  readonly secrets: readonly { readonly name: string; readonly what: string }[]
  readonly notes: readonly string[]
  /** Whom the secrets are for. */
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
/** The connection's own, and what browsers add when a request is copied from them. */
const dropped =
  /^(?:accept-encoding|connection|content-length|content-type|dnt|pragma|priority|te|transfer-encoding|sec-.*)$/i

/**
 * Turns a curl command into an API file: what varies becomes a parameter, what is secret a name. Example values become defaults only for
 * GET and HEAD: calling the tool without arguments must not send the example order of the documentation.
 */
export function curlToApi(name: string, request: CurlRequest): TranslatedApi {
  return new Translation(name, request).result()
}

class Translation {
  readonly #name: string
  readonly #request: CurlRequest
  readonly #parameters: Record<string, Parameter> = {}
  readonly #headers: Record<string, string> = {}
  readonly #query: Record<string, string> = {}
  /** Names and values that stay in the address. */
  readonly #fixed: [string, string][] = []
  readonly #secrets: { name: string; what: string }[] = []
  readonly #notes: string[]
  #auth: object | undefined

  constructor(name: string, request: CurlRequest) {
    this.#name = name
    this.#request = request
    this.#notes = [...request.notes]
  }

  result(): TranslatedApi {
    const { method, url, body, timeoutSeconds } = this.#request
    if (!methods.has(method)) throw new Untranslatable(`a tool cannot send ${method}`)
    if (body !== null && ['GET', 'HEAD', 'DELETE'].includes(method)) {
      throw new Untranslatable(`a ${method} with a body is not possible; with -G it goes to the address`)
    }
    this.#readUser()
    // The place for a login belongs to Authorization; other keys have to do with a header.
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
    const given = user ?? ''
    this.#auth = { type: 'basic', env: this.#secret(given, 'LOGIN', 'user:password') }
  }

  #readHeader(name: string, value: string): void {
    if (/^cookie$/i.test(name)) {
      throw new Untranslatable(
        'cookies belong to a person, not to a tool; look for a key that the API gives out',
      )
    }
    if (/^host$/i.test(name)) throw new Untranslatable('a tool sends no Host but that of its address')
    const isRaw = this.#request.body !== null && 'raw' in this.#request.body
    const isUsual = /^application\/(?:json|x-www-form-urlencoded)\b/i.test(value)
    if (/^content-type$/i.test(name) && (isRaw || !isUsual)) {
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

  #setAuth(auth: { type: string; header?: string }, value: string, suffix: string, what: string): void {
    if (this.#auth !== undefined) throw new Untranslatable('it logs in twice; leave one of the two out')
    this.#auth = { ...auth, env: this.#secret(value, suffix, what) }
  }

  /** `$NAME` is the name that the person uses already. */
  #secret(value: string, suffix: string, what: string): string {
    const own = /^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(value)?.[1]
    const stem = this.#name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    let name = own ?? `${/^\d/.test(stem) ? '_' : ''}${stem}_${suffix}`
    for (let count = 2; own === undefined && this.#secrets.some((other) => other.name === name); count++) {
      name = `${stem}_${suffix}_${count}`
    }
    if (!this.#secrets.some((other) => other.name === name)) this.#secrets.push({ name, what })
    return name
  }

  /** What documentation writes for a value, such as `{id}`, `:id` or `OWNER`, is a parameter. */
  #readPath(): string {
    const { host, pathname } = this.#request.url
    const segments = pathname.split('/').map(readable)
    const path = segments
      .map((segment, index) => {
        const key = keyInSegment(host, segments, index)
        if (key === null) return placeOf(segment)
        const name = this.#secret(key.value ?? '', 'TOKEN', 'the key in its path')
        if (key.value !== null && !key.value.startsWith('$'))
          this.#notes.push(
            `a segment of the path looks like a key and was replaced by the secret ${name}; if it is not one, write it into the url`,
          )
        return `${key.before}{secret:${name}}${key.after}`
      })
      .join('/')
    if (/[{}]/.test(path.replaceAll(/\{(?:secret:)?[\w-]+\}/g, '')))
      throw new Untranslatable('the braces in its address are for curl; write one address')
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
      this.#notes.push(`${name} is in the address more than once, so it is always sent as it is`)
      return
    }
    // What has no place of its own would go into the body.
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
      if (Object.hasOwn(this.#parameters, 'body')) throw new Untranslatable('its path already has a {body}')
      const isShown = !holdsKey(body.raw)
      if (!isShown)
        this.#notes.push('the body looks like it contains a secret, so the file has no example of it')
      const example = isShown ? ` ${exampleOf(body.raw)}` : ''
      this.#parameters.body = {
        type: 'string',
        description: `The request body, sent unchanged.${example}`,
        required: true,
      }
      // The content type that curl sends.
      const says = Object.keys(this.#headers).some((name) => /^content-type$/i.test(name))
      if (!says) this.#headers['Content-Type'] = 'application/x-www-form-urlencoded'
      return 'raw'
    }
    if ('text' in body) {
      for (const [name, value] of Object.entries(parseObject(body.text))) this.#addSafely(name, value)
      return 'json'
    }
    const fields = new Map<string, string[]>()
    for (const [name, value] of body.fields) fields.set(name, [...(fields.get(name) ?? []), value])
    for (const [name, values] of fields) this.#addSafely(name, values.length === 1 ? values[0] : values)
    return 'form'
  }

  /** Of what is sent in a body, nothing can be a secret by name. */
  #addSafely(name: string, value: unknown): void {
    if (!isKeyName(name) && !holdsKey(value)) return this.#add(name, value)
    this.#parameters[name] = { ...shapeOf(value), required: true }
    this.#notes.push(
      `${name} looks like a secret, or holds one: its value was left out, and every call has to give it`,
    )
  }

  #add(name: string, value: unknown): void {
    if (Object.hasOwn(this.#parameters, name)) {
      throw new Untranslatable(`${name} is there twice, in the address or in the body`)
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
    throw new Untranslatable(`its body is not JSON: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Untranslatable('its body is JSON, but no object, and parameters are fields of one')
}

/** Is it a key, or does it contain one? */
function holdsKey(value: unknown): boolean {
  if (typeof value === 'string')
    return value.split(/[\s"'<>&]+/).some((word) => isKeyValue(word)) || namesKey(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) => (!Array.isArray(value) && isKeyName(name)) || holdsKey(inner),
  )
}

/** `<password>...`, `token=...`: in a string of any format. */
function namesKey(text: string): boolean {
  return [...text.matchAll(/([\w-]+)["']?\s*[:=>]/g)].some(([, name]) => isKeyName(name!))
}

/** Decodes the placeholders of documentation, such as `<id>` and `{id}`. */
function readable(segment: string): string {
  return segment.replaceAll(/%(3C|3E|7B|7D)/gi, (escaped) => decodeURIComponent(escaped))
}

/** `OWNER`, `:id`, `$ID`, `${ID}` and `<id>` as `{id}`; every other segment as it is. */
function placeOf(text: string): string {
  const [, caps, ...marked] =
    /^(?:(?!.*[A-Z]\d)([A-Z][A-Z0-9_-]+)|:([\w-]+)|\$([A-Za-z_]\w*)|\$\{(\w+)\}|<([\w-]+)>)$/.exec(text) ?? []
  const name = caps ?? marked.find((found) => found !== undefined)
  return name === undefined
    ? text.replaceAll(/[<>]/g, encodeURIComponent)
    : `{${name.toLowerCase().replaceAll('-', '_')}}`
}
