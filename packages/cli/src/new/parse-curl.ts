import { parseArgs } from 'node:util'
import { wordSet } from '@curfew/core/internal'
import { splitShellWords, UnsupportedCommand } from './split-shell-words.ts'

/** The request that a curl command sends. */
export interface CurlRequest {
  readonly method: string
  readonly url: URL
  /** In their original order. */
  readonly headers: readonly (readonly [string, string])[]
  /** `user:password`. */
  readonly user: string | null
  /** Form fields, JSON, or anything else as `raw`. */
  readonly body:
    | { readonly json: string }
    | { readonly raw: string }
    | { readonly fields: readonly (readonly [string, string])[] }
    | null
  readonly timeoutSeconds: number | null
  /** Notes for the user. */
  readonly notes: readonly string[]
}

const unsupported: Readonly<Record<string, string>> = {
  '--cookie': 'cookies belong to a person, not to a tool; use an API key instead',
  '--cookie-jar': 'cookies are not stored between calls',
  '--insecure':
    'certificates are always verified; for your own certificate authority, set NODE_EXTRA_CA_CERTS',
  '--cacert': 'set NODE_EXTRA_CA_CERTS instead',
  '--proxy': 'set HTTPS_PROXY or HTTP_PROXY instead',
  '--upload-file': 'a tool cannot send files',
  '--config': 'write its options on the command line',
}

/** Those that are neither unsupported nor read do not matter for a tool. */
const options = {
  ...declare(
    'boolean',
    `compressed fail/f fail-with-body get/G globoff/g head/I http1.1 http2 include/i insecure/k location/L no-buffer/N
    no-progress-meter progress-bar/# show-error/S silent/s verbose/v`,
  ),
  ...declare(
    'string',
    `cacert config/K connect-timeout cookie/b cookie-jar/c data/d data-ascii data-binary data-raw data-urlencode form/F form-string
    header/H json max-redirs max-time/m output/o proxy/x referer/e request/X upload-file/T url user/u user-agent/A write-out/w`,
  ),
}

interface Declaration {
  readonly type: 'boolean' | 'string'
  readonly short?: string
}

function declare(type: Declaration['type'], names: string): Readonly<Record<string, Declaration>> {
  const declared = [...wordSet(names)].map((word) => {
    const [name = '', short] = word.split('/')
    return [name, { type, ...(short !== undefined && { short }) }]
  })
  return Object.fromEntries(declared)
}

/** Parses a pasted curl command. Throws `UnsupportedCommand` if it cannot become a tool. */
export function parseCurl(command: string): CurlRequest {
  const words = splitShellWords(command)
  if (words[0] === '$') words.shift()
  if (words.shift() !== 'curl') throw new UnsupportedCommand('it does not start with curl')
  const builder = new CurlRequestBuilder()
  const { tokens } = parseArgs({ args: words, options, strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') builder.url(token.value)
    else if (token.kind === 'option') {
      if (!Object.hasOwn(options, token.name))
        throw new UnsupportedCommand(`unsupported option ${token.rawName}`)
      builder.addOption(`--${token.name}`, token.value)
    }
  }
  return builder.request()
}

class CurlRequestBuilder {
  #url: string | null = null
  #method: string | null = null
  #user: string | null = null
  #timeout: number | null = null
  #get = false
  #json = false
  readonly #headers: [string, string][] = []
  readonly #data: string[] = []
  readonly #notes: string[] = []

  url(text: string): void {
    if (this.#url !== null) throw new UnsupportedCommand(`expected one URL, got ${this.#url} and ${text}`)
    this.#url = text
  }

  addOption(name: string, given: string | undefined): void {
    if (Object.hasOwn(unsupported, name)) throw new UnsupportedCommand(`${name}: ${unsupported[name]}`)
    if (given === undefined && options[name.slice(2)]?.type === 'string')
      throw new UnsupportedCommand(`${name}: expected a value`)
    const value = given ?? ''
    switch (name) {
      case '--get':
        this.#get = true
        return
      case '--head':
        this.#method ??= 'HEAD'
        return
      case '--url':
        return this.url(value)
      case '--request':
        this.#method = value.toUpperCase()
        return
      case '--user':
        this.#user = value
        return
      case '--max-time':
        this.#timeout = Number(value)
        return
      case '--user-agent':
        return this.#header(`User-Agent: ${value}`)
      case '--referer':
        return this.#header(`Referer: ${value}`)
      case '--header':
        return this.#header(value)
      case '--json':
        this.#json = true
        return this.#body(name, value)
      case '--data':
      case '--data-ascii':
      case '--data-binary':
        return this.#body(name, value)
      case '--data-raw':
        this.#data.push(value)
        return
      case '--data-urlencode':
        return this.#encoded(value)
      case '--form':
      case '--form-string':
        return this.#form(name, value)
    }
  }

  #header(text: string): void {
    const colon = text.indexOf(':')
    if (colon < 1)
      throw new UnsupportedCommand(`--header: expected "Name: value", got ${JSON.stringify(text)}`)
    this.#headers.push([text.slice(0, colon).trim(), text.slice(colon + 1).trim()])
  }

  #body(name: string, value: string): void {
    if (value.startsWith('@'))
      throw new UnsupportedCommand(`${name} ${value}: a tool cannot read files; write the content itself`)
    this.#data.push(value)
  }

  /** `name=content`, `=content` or `content`. */
  #encoded(value: string): void {
    const equals = value.indexOf('=')
    const at = value.indexOf('@')
    if (at !== -1 && (equals === -1 || at < equals)) {
      throw new UnsupportedCommand(
        `--data-urlencode ${value}: a tool cannot read files; write the content itself`,
      )
    }
    if (equals < 1) throw new UnsupportedCommand(`--data-urlencode ${value}: expected name=content`)
    this.#data.push(`${value.slice(0, equals)}=${encodeURIComponent(value.slice(equals + 1))}`)
  }

  #form(name: string, value: string): void {
    const equals = value.indexOf('=')
    if (equals < 1) throw new UnsupportedCommand(`${name} ${value}: expected name=content`)
    const content = value.slice(equals + 1)
    if (name === '--form' && /^[@<]/.test(content))
      throw new UnsupportedCommand(`${name} ${value}: a tool cannot send files`)
    this.#data.push(`${encodeURIComponent(value.slice(0, equals))}=${encodeURIComponent(content)}`)
    const note = 'curl sends the form as multipart; the tool sends it URL-encoded'
    if (!this.#notes.includes(note)) this.#notes.push(note)
  }

  request(): CurlRequest {
    if (this.#url === null) throw new UnsupportedCommand('it has no URL')
    const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(this.#url) ? this.#url : `http://${this.#url}`
    if (!URL.canParse(text)) throw new UnsupportedCommand(`${this.#url} is not a URL`)
    const url = new URL(text)
    if (this.#timeout !== null && !(this.#timeout > 0))
      throw new UnsupportedCommand('--max-time: expected a number greater than 0')
    const data = this.#data.join('&')
    if (this.#get) for (const [name, value] of new URLSearchParams(data)) url.searchParams.append(name, value)
    const sent = this.#get || this.#data.length === 0 ? null : data
    return {
      method: this.#method ?? (sent === null ? 'GET' : 'POST'),
      url,
      headers: this.#headers,
      user: this.#user,
      body: sent === null ? null : this.#bodyOf(sent),
      timeoutSeconds: this.#timeout,
      notes: this.#notes,
    }
  }

  /** Classifies the body by its content type, or by its content if there is none. */
  #bodyOf(data: string): CurlRequest['body'] {
    const type = this.#headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null
    const isJson = type === null ? /^\s*[{[]/.test(data) : /^[^;]*[/+]json\b/i.test(type)
    if (this.#json || isJson) return { json: data }
    const isForm = data.split('&').every((part) => /^[^=<\s]+=/.test(part))
    const isFormType = type === null || /^application\/x-www-form-urlencoded\b/i.test(type)
    return isForm && isFormType ? { fields: [...new URLSearchParams(data)] } : { raw: data }
  }
}
