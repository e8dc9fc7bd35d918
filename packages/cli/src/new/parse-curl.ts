import { splitShellWords, Untranslatable } from './split-shell-words.ts'

/** What a curl command would send. */
export interface CurlRequest {
  readonly method: string
  readonly url: URL
  /** In the order in which they were written. */
  readonly headers: readonly (readonly [string, string])[]
  /** `user:password`. */
  readonly user: string | null
  /** Names and values of a form; JSON as text; anything else as `raw`. */
  readonly body:
    | { readonly text: string }
    | { readonly raw: string }
    | { readonly fields: readonly (readonly [string, string])[] }
    | null
  readonly timeoutSeconds: number | null
  /** What a person should know. */
  readonly notes: readonly string[]
}

/** Options without a value that change nothing here. */
const ignored: ReadonlySet<string> = new Set([
  '--compressed',
  '--fail',
  '--fail-with-body',
  '--globoff',
  '--http1.1',
  '--http2',
  '--include',
  '--location',
  '--no-buffer',
  '--no-progress-meter',
  '--progress-bar',
  '--show-error',
  '--silent',
  '--verbose',
])
/** The same, with a value. */
const ignoredWithValue: ReadonlySet<string> = new Set([
  '--connect-timeout',
  '--max-redirs',
  '--output',
  '--write-out',
])

const refused: Readonly<Record<string, string>> = {
  '--cookie': 'cookies belong to a person, not to a tool; look for a key that the API gives out',
  '--cookie-jar': 'cookies are not kept between calls',
  '--insecure': 'certificates are always verified; for an authority of your own set NODE_EXTRA_CA_CERTS',
  '--cacert': 'set NODE_EXTRA_CA_CERTS instead',
  '--proxy': 'set HTTPS_PROXY or HTTP_PROXY instead',
  '--upload-file': 'a tool sends no files',
  '--config': 'write the options out',
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

/** Understands a pasted curl command, or throws `Untranslatable`. */
export function parseCurl(command: string): CurlRequest {
  const words = splitShellWords(command)
  if (words[0] === '$') words.shift()
  if (words.shift() !== 'curl') throw new Untranslatable('it does not begin with curl')
  const found = new Found()
  while (words.length > 0) {
    const word = words.shift()!
    if (!word.startsWith('-') || word === '-') found.url(word)
    else if (word.startsWith('--')) found.take(word, words)
    else found.takeShort(word, words)
  }
  return found.request()
}

class Found {
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
    if (this.#url !== null) throw new Untranslatable(`it has two addresses: ${this.#url} and ${text}`)
    this.#url = text
  }

  /** `-sSL`, `-XPOST`, `-d x`: flags up to the first that takes a value. */
  takeShort(word: string, rest: string[]): void {
    for (let at = 1; at < word.length; at++) {
      const name = shortNames[word[at]!]
      if (name === undefined) throw new Untranslatable(`-${word[at]} is not known here`)
      if (flags.has(name)) this.take(name, rest)
      else return this.take(name, at + 1 < word.length ? [word.slice(at + 1)] : rest)
    }
  }

  take(word: string, rest: string[]): void {
    const equals = word.indexOf('=')
    const name = equals === -1 ? word : word.slice(0, equals)
    if (Object.hasOwn(refused, name)) throw new Untranslatable(`${name}: ${refused[name]}`)
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
    if (value === undefined) throw new Untranslatable(`${name} has no value`)
    if (!ignoredWithValue.has(name)) this.#takeValue(name, value)
  }

  #takeValue(name: string, value: string): void {
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
        throw new Untranslatable(`${name} is not known here`)
    }
  }

  #header(text: string): void {
    const colon = text.indexOf(':')
    if (colon < 1) throw new Untranslatable(`${JSON.stringify(text)} is no header; write "Name: value"`)
    this.#headers.push([text.slice(0, colon).trim(), text.slice(colon + 1).trim()])
  }

  #body(name: string, value: string): void {
    if (value.startsWith('@'))
      throw new Untranslatable(`${name} ${value}: a tool reads no files; write the content out`)
    this.#data.push(value)
  }

  /** `name=content`, `=content` or `content`. */
  #encoded(value: string): void {
    const equals = value.indexOf('=')
    const at = value.indexOf('@')
    if (at !== -1 && (equals === -1 || at < equals)) {
      throw new Untranslatable(`--data-urlencode ${value}: a tool reads no files; write the content out`)
    }
    if (equals < 1) throw new Untranslatable(`--data-urlencode ${value}: write it as name=content`)
    this.#data.push(`${value.slice(0, equals)}=${encodeURIComponent(value.slice(equals + 1))}`)
  }

  #form(name: string, value: string): void {
    const equals = value.indexOf('=')
    if (equals < 1) throw new Untranslatable(`${name} ${value}: write it as name=content`)
    const content = value.slice(equals + 1)
    if (name === '--form' && /^[@<]/.test(content))
      throw new Untranslatable(`${name} ${value}: a tool sends no files`)
    this.#data.push(`${encodeURIComponent(value.slice(0, equals))}=${encodeURIComponent(content)}`)
    const note = 'curl would send its form as multipart; the tool sends it urlencoded'
    if (!this.#notes.includes(note)) this.#notes.push(note)
  }

  request(): CurlRequest {
    if (this.#url === null) throw new Untranslatable('it has no address')
    const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(this.#url) ? this.#url : `http://${this.#url}`
    if (!URL.canParse(text)) throw new Untranslatable(`${this.#url} is no address`)
    const url = new URL(text)
    if (this.#timeout !== null && !(this.#timeout > 0))
      throw new Untranslatable('--max-time must be more than 0')
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

  /** What it says that it is; without a word, what it looks like. */
  #bodyOf(data: string): CurlRequest['body'] {
    const type = this.#headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null
    const isJson = type === null ? /^\s*[{[]/.test(data) : /^[^;]*[/+]json\b/i.test(type)
    if (this.#json || isJson) return { text: data }
    const isForm = data.split('&').every((part) => /^[^=<\s]+=/.test(part))
    const saysForm = type === null || /^application\/x-www-form-urlencoded\b/i.test(type)
    return isForm && saysForm ? { fields: [...new URLSearchParams(data)] } : { raw: data }
  }
}
