import { words } from '@curfew/core/internal'
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

/** Options without a value that do not matter for a tool. */
const ignored: ReadonlySet<string> = new Set(
  words(`
  --compressed --fail --fail-with-body --globoff --http1.1 --http2 --include --location --no-buffer --no-progress-meter
  --progress-bar --show-error --silent --verbose
`),
)
/** Options with a value that do not matter for a tool. */
const ignoredWithValue: ReadonlySet<string> = new Set([
  '--connect-timeout',
  '--max-redirs',
  '--output',
  '--write-out',
])

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

const shortNames: Readonly<Record<string, string>> = {
  '#': '--progress-bar',
  A: '--user-agent',
  F: '--form',
  G: '--get',
  H: '--header',
  I: '--head',
  K: '--config',
  L: '--location',
  N: '--no-buffer',
  S: '--show-error',
  T: '--upload-file',
  X: '--request',
  b: '--cookie',
  c: '--cookie-jar',
  d: '--data',
  e: '--referer',
  f: '--fail',
  g: '--globoff',
  i: '--include',
  k: '--insecure',
  m: '--max-time',
  o: '--output',
  s: '--silent',
  u: '--user',
  v: '--verbose',
  w: '--write-out',
  x: '--proxy',
}
const flags: ReadonlySet<string> = new Set([...ignored, '--get', '--head', '--insecure'])

/** Parses a pasted curl command. Throws `UnsupportedCommand` if it cannot become a tool. */
export function parseCurl(command: string): CurlRequest {
  const words = splitShellWords(command)
  if (words[0] === '$') words.shift()
  if (words.shift() !== 'curl') throw new UnsupportedCommand('it does not start with curl')
  const builder = new CurlRequestBuilder()
  while (words.length > 0) {
    const word = words.shift()!
    if (!word.startsWith('-') || word === '-') builder.url(word)
    else if (word.startsWith('--')) builder.addOption(word, words)
    else builder.addShortOptions(word, words)
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

  /** `-sSL`, `-XPOST`, `-d x`: flags up to the first that takes a value. */
  addShortOptions(word: string, rest: string[]): void {
    for (let at = 1; at < word.length; at++) {
      const name = shortNames[word[at]!]
      if (name === undefined) throw new UnsupportedCommand(`unsupported option -${word[at]}`)
      if (flags.has(name)) this.addOption(name, rest)
      else return this.addOption(name, at + 1 < word.length ? [word.slice(at + 1)] : rest)
    }
  }

  addOption(word: string, rest: string[]): void {
    const equals = word.indexOf('=')
    const name = equals === -1 ? word : word.slice(0, equals)
    if (Object.hasOwn(unsupported, name)) throw new UnsupportedCommand(`${name}: ${unsupported[name]}`)
    if (ignored.has(name)) return
    if (name === '--get') {
      this.#get = true
      return
    }
    if (name === '--head') {
      this.#method ??= 'HEAD'
      return
    }
    const value = equals === -1 ? rest.shift() : word.slice(equals + 1)
    if (value === undefined) throw new UnsupportedCommand(`${name}: expected a value`)
    if (!ignoredWithValue.has(name)) this.#addValue(name, value)
  }

  #addValue(name: string, value: string): void {
    switch (name) {
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
      default:
        throw new UnsupportedCommand(`unsupported option ${name}`)
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
