import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostLookup } from '@curfew/core/internal'
import { openSecretStore, type SecretStore } from '@curfew/extensions'
import { networkFetch } from '@curfew/extensions/internal'
import type { FetchLike } from '@modelcontextprotocol/client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { SignInPrompt, SignInServer } from '../src/client/oauth/authorize.ts'
import { createSignIn } from '../src/client/oauth/create-sign-in.ts'
import { OAuthProvider } from '../src/client/oauth/oauth-provider.ts'
import { OAuthSession } from '../src/client/oauth/oauth-session.ts'
import { secretTokenStore } from '../src/client/oauth/token-store.ts'
import { authorizedFetch } from '../src/client/transport/authorized-fetch.ts'
import { serverDefaults } from '../src/config/server-config.ts'
import { startFakeServer } from './helpers/fake-server.ts'
import { type OAuthServer, startOAuthServer } from './helpers/oauth-server.ts'
import { type Remote, remoteUpstream } from './helpers/remote-upstream.ts'

let server: OAuthServer
let folder: string
let secrets: SecretStore
let pages: URL[]

beforeEach(async () => {
  server = await startOAuthServer()
  folder = await mkdtemp(join(tmpdir(), 'curfew-oauth-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const key = join(folder, 'key')
  await writeFile(key, Buffer.alloc(32, 'key'), { mode: 0o600 })
  secrets = await openSecretStore({
    root: folder,
    env: { CURFEW_SECRET_STORE: 'file', CURFEW_KEY_FILE: key },
  })
  pages = []
})

type OpenSignIn = SignInPrompt['open']

/** A person who signs in immediately. */
const browse: OpenSignIn = async ({ url }) => {
  pages.push(url)
  await fetch(url)
  return true
}

/** A person who agrees to every sign-in. */
const agreeing = (open: OpenSignIn): SignInPrompt => ({ agree: async () => true, open })

interface SessionOptions {
  readonly open?: OpenSignIn | undefined
  readonly prompt?: SignInPrompt | undefined
  readonly fetchAllow?: readonly string[]
  readonly lookUp?: HostLookup
  readonly url?: string
  readonly timeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly hide?: (value: string) => () => void
}

/** Connects as another process would: only the store is shared. */
async function connect(options: SessionOptions = { open: browse }): Promise<Remote> {
  const { url = server.url, open, timeoutMs, requestTimeoutMs, hide, lookUp } = options
  const { prompt = open && agreeing(open), fetchAllow = ['127.0.0.1'] } = options
  const provider = new OAuthProvider({
    serverName: 'remote',
    url,
    store: secretTokenStore(async () => secrets),
    hide,
  })
  const allow = async (): Promise<readonly string[]> => fetchAllow
  const session = new OAuthSession({
    provider,
    prompt,
    fetchAllow: allow,
    lookUp,
    timeoutMs,
    requestTimeoutMs,
  })
  onTestFinished(() => session.close())
  return await remoteUpstream({ url, signIn: () => session })
}

describe('signing in', () => {
  test('uses a code with PKCE; the next connection needs no person', async () => {
    const hidden = new Set<string>()
    const hide = (value: string): (() => void) => {
      hidden.add(value)
      return () => hidden.delete(value)
    }
    const first = await connect({ open: browse, hide })
    expect(await first.call('whoami')).toBe('you')
    expect(server.counts).toEqual({ registered: 1, authorized: 1, exchanged: 1, refreshed: 0 })
    expect(pages[0]?.searchParams.get('code_challenge_method')).toBe('S256')
    expect(pages[0]?.searchParams.get('resource')).toBe(server.url)

    const second = await connect({})
    expect(await second.call('whoami')).toBe('you')
    expect(server.counts.authorized).toBe(1)
    expect([...hidden].every((value) => server.secrets.has(value))).toBe(true)
    expect(hidden.size).toBe(2)
  })

  test('stores tokens only in the encrypted store', async () => {
    const remote = await connect()
    await remote.call('whoami')
    await remote.upstream.close()
    const entries = await secrets.list()
    expect(entries).toEqual([
      {
        name: expect.stringMatching(/^MCP_REMOTE_TOKENS_[0-9A-F]{12}$/),
        uses: [`sign-in:${server.url}`],
      },
    ])
    expect(server.secrets.size).toBeGreaterThan(3)
    const { value } = (await secrets.get(entries[0]!.name))!
    expect([...server.secrets].filter((secret) => value.includes(secret))).toHaveLength(2)
    for (const place of [folder, remote.upstream.config.root]) {
      for (const text of await readAll(place)) {
        expect([...server.secrets].filter((secret) => text.includes(secret))).toEqual([])
      }
    }
    // Only the server itself saw the token.
    const token = (JSON.parse(value) as { tokens: { access_token: string } }).tokens.access_token
    expect(JSON.stringify(server.signIn.seen)).not.toContain(token)
  })

  test('fails if the authorization server does not respond, and the next call can retry', async () => {
    server.spoil.silent = true
    const options = { open: browse, requestTimeoutMs: 200 }
    await expect((await connect(options)).call('whoami')).rejects.toThrow(/timeout|aborted/i)
    const remote = await connect(options)
    await expect(remote.call('whoami')).rejects.toThrow(/timeout|aborted/i)
    server.spoil.silent = false
    expect(await remote.call('whoami')).toBe('you')
  })

  test('leaves no port open', async () => {
    await (await connect()).call('whoami')
    const back = pages[0]!.searchParams.get('redirect_uri')!
    expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    await expect(fetch(back)).rejects.toThrow('fetch failed')
  })

  test('uses another port if the default one is taken, and registers it', async () => {
    await (await connect()).call('whoami')
    server.revoke()
    const taken = createServer().listen(
      Number(new URL(pages[0]!.searchParams.get('redirect_uri')!).port),
      '127.0.0.1',
    )
    onTestFinished(() => void taken.close())
    expect(await (await connect()).call('whoami')).toBe('you')
    expect(server.counts.registered).toBe(2)
    expect(pages[1]!.searchParams.get('redirect_uri')).not.toBe(pages[0]!.searchParams.get('redirect_uri'))
  })

  test('is requested once by concurrent calls', async () => {
    const { call } = await connect()
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('whoami')))
    expect(answers).toEqual(Array(5).fill('you'))
    expect(server.counts.authorized).toBe(1)
  })

  test('fails with instructions if no person can be asked', async () => {
    const { call } = await connect({})
    const problem = {
      code: 'CREDENTIAL_REQUIRED',
      message: expect.stringContaining('run `curfew mcp test remote` in a terminal'),
    }
    await expect(call('whoami')).rejects.toMatchObject(problem)
    await expect((await connect({ open: async () => false })).call('whoami')).rejects.toMatchObject(problem)
    expect(server.counts.authorized).toBe(0)
  })

  test('continues when its call is cancelled', async () => {
    let show!: (page: SignInServer) => void
    const shown = new Promise<SignInServer>((resolve) => {
      show = resolve
    })
    const open: OpenSignIn = async (page) => {
      show(page)
      return true
    }
    const { call } = await connect({ open })
    const cancel = new AbortController()
    const cancelled = call('whoami', {}, cancel.signal)
    const { url, signal } = await shown
    cancel.abort(new Error('the call was cancelled'))
    await expect(cancelled).rejects.toThrow('the call was cancelled')
    expect(signal.aborted).toBe(false)
    expect((await fetch(url)).status).toBe(200)
    expect(await call('whoami')).toBe('you')
    expect(server.counts.authorized).toBe(1)
    expect(signal.aborted).toBe(true)
  })

  test('has a timeout', async () => {
    const { call } = await connect({ open: async () => true, timeoutMs: 50 })
    await expect(call('whoami')).rejects.toThrow('which was not completed in time')
  })
})

describe('requests that a server chooses', () => {
  /** Something on this machine that must not be reached. */
  async function startVictim(): Promise<{ origin: string; requests: string[] }> {
    const requests: string[] = []
    const victim = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"client_id":"x"}')
    }).listen(0, '127.0.0.1')
    await once(victim, 'listening')
    onTestFinished(() => void victim.close())
    const { port } = victim.address() as AddressInfo
    return { origin: `http://127.0.0.1:${port}`, requests }
  }

  /** An MCP server that is its own authorization server, except for what the test changes. */
  async function startServer(change: (origin: string) => Record<string, unknown>): Promise<Sly> {
    const requests: string[] = []
    const sly = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      const { port } = sly.address() as AddressInfo
      const origin = `http://127.0.0.1:${port}`
      const { resource = `${origin}/prm`, issuer = origin, redirect, ...metadata } = change(origin)
      const path = request.url ?? ''
      if (path.startsWith('/mcp'))
        return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${resource}"` }).end()
      if (path.startsWith('/authorize')) {
        const asked = new URL(path, origin).searchParams
        const back = new URL(asked.get('redirect_uri')!)
        back.search = new URLSearchParams({ code: 'code', state: asked.get('state')! }).toString()
        return response.writeHead(302, { location: back.href }).end()
      }
      if (typeof redirect === 'string') return response.writeHead(307, { location: redirect }).end()
      const endpoints = {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      }
      const client = { client_id: 'x', redirect_uris: ['http://127.0.0.1:28737/callback'] }
      const body = path.startsWith('/prm')
        ? { resource: `${origin}/mcp`, authorization_servers: [issuer] }
        : path.includes('well-known')
          ? { ...endpoints, ...metadata }
          : client
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(sly, 'listening')
    onTestFinished(() => void sly.close())
    return { url: `http://127.0.0.1:${(sly.address() as AddressInfo).port}/mcp`, requests }
  }

  interface Sly {
    readonly url: string
    readonly requests: string[]
  }

  const attacks: readonly [string, (victim: string) => Record<string, unknown>][] = [
    ['the metadata of the server', (victim) => ({ resource: `${victim}/latest/meta-data/iam` })],
    ['the authorization server', (victim) => ({ issuer: victim })],
    ['the registration', (victim) => ({ registration_endpoint: `${victim}/containers/create` })],
    ['the token endpoint', (victim) => ({ token_endpoint: `${victim}/token` })],
    ['the sign-in page', (victim) => ({ authorization_endpoint: `${victim}/shutdown` })],
    ['a redirect', (victim) => ({ redirect: `${victim}/redirected` })],
    ['a name', (victim) => ({ registration_endpoint: victim.replace('127.0.0.1', 'localhost') })],
  ]

  test.each(attacks)('%s: a private address is not requested', async (_what, attack) => {
    const victim = await startVictim()
    const sly = await startServer(() => attack(victim.origin))
    const options = { open: browse, url: sly.url, timeoutMs: 500 }
    const { call } = await connect({ ...options, fetchAllow: [] })
    await expect(call('whoami')).rejects.toThrow()
    expect(victim.requests).toEqual([])
    // They would be requested otherwise.
    const allowed = await connect({ ...options, fetchAllow: ['127.0.0.1', 'localhost'] })
    await expect(allowed.call('whoami')).rejects.toThrow()
    expect(victim.requests.length + pages.filter(({ origin }) => origin === victim.origin).length).not.toBe(0)
  })

  test('a name that resolves to another address after the check', async () => {
    const victim = await startVictim()
    const { port } = new URL(victim.origin)
    const sly = await startServer(() => ({ issuer: `http://rebind.test:${port}` }))
    const answers = ['93.184.215.14', '127.0.0.1']
    const lookUp: HostLookup = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
    const options = { open: browse, url: sly.url, fetchAllow: [], lookUp, requestTimeoutMs: 300 }
    await expect((await connect(options)).call('whoami')).rejects.toThrow()
    expect(victim.requests).toEqual([])
  })

  test('fetchAllow permits a private authorization server', async () => {
    const fetchAllow = [new URL(server.signIn.origin).host]
    expect(await (await connect({ open: browse, fetchAllow })).call('whoami')).toBe('you')
    server.revoke()
    server.expire()
    const denied = await connect({ open: browse, fetchAllow: [] })
    await expect(denied.call('whoami')).rejects.toThrow(/fetchAllow/)
  })

  test.each([
    ['nobody can be asked', undefined],
    ['the person declines', async () => false],
  ])('nothing is requested if %s', async (_what, agree) => {
    const sly = await startServer(() => ({}))
    const prompt = agree && { agree, open: async () => true }
    const { call } = await connect({ prompt, url: sly.url })
    await expect(call('whoami')).rejects.toThrow('requires a sign-in')
    expect(sly.requests.filter((request) => !request.endsWith(' /mcp'))).toEqual([])
  })

  test('the person is asked before the first request, with the name and the address of the server', async () => {
    const asked: string[] = []
    const agree = async ({ serverName, url }: SignInServer): Promise<boolean> => {
      asked.push(`${serverName} ${url.href} ${server.counts.registered}`)
      return true
    }
    const { call } = await connect({ prompt: { agree, open: browse } })
    expect(await call('whoami')).toBe('you')
    expect(asked).toEqual([`remote ${server.url} 0`])
    expect(server.signIn.seen.length).toBeGreaterThan(0)
  })
})

describe('a rejected token', () => {
  test('is renewed without a person, once for concurrent calls', async () => {
    const { call } = await connect()
    await call('whoami')
    server.expire()
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('whoami')))
    expect(answers).toEqual(Array(5).fill('you'))
    expect(server.counts).toEqual({ registered: 1, authorized: 1, exchanged: 1, refreshed: 1 })
  })

  test('only the last renewed tokens stay redacted', async () => {
    const hidden = new Set<string>()
    const hide = (value: string): (() => void) => {
      hidden.add(value)
      return () => hidden.delete(value)
    }
    const { call } = await connect({ open: browse, hide })
    for (let i = 0; i < 10; i++) {
      await call('whoami')
      server.expire()
    }
    expect(server.counts.refreshed).toBe(9)
    expect(hidden.size).toBe(8)
    const [entry] = await secrets.list()
    const { tokens } = JSON.parse((await secrets.get(entry!.name))!.value) as {
      tokens: { access_token: string; refresh_token: string }
    }
    expect(hidden).toContain(tokens.access_token)
    expect(hidden).toContain(tokens.refresh_token)
  })

  test('may have been renewed by another process', async () => {
    const [one, other] = [await connect(), await connect()]
    await one.call('whoami')
    await other.call('whoami')
    server.expire()
    await one.call('whoami')
    expect(await other.call('whoami')).toBe('you')
    expect(server.counts).toMatchObject({ authorized: 1, refreshed: 1 })
  })

  test('that was revoked requires a new sign-in', async () => {
    const { call } = await connect()
    await call('whoami')
    server.revoke()
    expect(await call('whoami')).toBe('you')
    expect(server.counts).toMatchObject({ registered: 1, authorized: 2, refreshed: 1 })
    server.revoke()
    await expect((await connect({})).call('whoami')).rejects.toThrow('run `curfew mcp test remote`')
  })

  test('does not ask a person while the authorization server is down', async () => {
    const { call } = await connect()
    await call('whoami')
    server.expire()
    server.spoil.refresh = 503
    await expect(call('whoami')).rejects.toThrow('the authorization server failed (503)')
    expect(server.counts.authorized).toBe(1)
    delete server.spoil.refresh
    expect(await call('whoami')).toBe('you')
    expect(server.counts.authorized).toBe(1)
  })

  test('is renewed only by the authorization server of the sign-in: another one requires a new sign-in', async () => {
    const other = await startOAuthServer()
    const { call } = await connect()
    await call('whoami')
    server.expire()
    server.spoil.named = other.signIn.origin
    const asked: SignInServer[] = []
    const prompt: SignInPrompt = {
      agree: async (question) => asked.push(question) === 0,
      open: async () => false,
    }
    for (const asking of [undefined, prompt])
      await expect((await connect({ prompt: asking })).call('whoami')).rejects.toThrow('requires a sign-in')
    expect(asked).toHaveLength(1)
    expect(other.signIn.seen).toEqual([])
    expect(server.counts.refreshed).toBe(0)

    // The description may be elsewhere, which is not requested either.
    delete server.spoil.named
    server.spoil.described = `${other.resource.origin}/description`
    expect(await (await connect({})).call('whoami')).toBe('you')
    expect(other.resource.seen).toEqual([])
    expect(server.counts).toMatchObject({ registered: 1, refreshed: 1 })
  })

  test('right after its renewal is not renewed again', async () => {
    server.spoil.accepts = false
    const { call } = await connect()
    await expect(call('whoami')).rejects.toMatchObject({
      code: 'CREDENTIAL_REQUIRED',
      message: expect.stringContaining('(401)'),
    })
    expect(server.counts.authorized).toBe(1)
  })
})

test('the response body is cancelled if the sign-in fails', async () => {
  let isClosed = false
  const resource = await startFakeServer((_, response) => {
    response.once('close', () => {
      isClosed = true
    })
    response.writeHead(401).write('and so on')
    return true
  })
  const url = `${resource.origin}/mcp`
  const provider = new OAuthProvider({
    serverName: 'remote',
    url,
    store: secretTokenStore(async () => secrets),
  })
  const session = new OAuthSession({ provider, requestTimeoutMs: 100 })
  // References prevent the garbage collector from closing the responses.
  const responses: Response[] = []
  const fetch: FetchLike = async (target, init) => {
    const response = await networkFetch(target, init)
    responses.push(response)
    return response
  }
  await expect(authorizedFetch(fetch, session)(url)).rejects.toThrow('requires a sign-in')
  await until(() => isClosed, 20_000)
  expect(isClosed).toBe(true)
  expect(responses).toHaveLength(1)
})

test.each([
  ['https://mcp.example', 'host:mcp.example'],
  ['http://mcp.example', 'host:http://mcp.example'],
])(
  'the client secret for %s is bound to its host, and plain http is a different host',
  async (origin, use) => {
    const uses: string[] = []
    const store = secretTokenStore(async () => secrets)
    const url = `${origin}/mcp`
    const signIn = createSignIn({
      store,
      readSecret: async (_, use) => {
        uses.push(use)
        throw new Error('there is none')
      },
      prompt: agreeing(browse),
      fetchAllow: async () => ['127.0.0.1'],
    })
    const oauth = { clientId: 'by-hand', clientSecret: [{ secret: 'CLIENT_SECRET' }] }
    const target = { kind: 'http', url, headers: {}, oauth } as const
    const session = signIn({ ...serverDefaults, name: 'remote', file: '', root: '', target })
    const unauthorized = new Response(null, { status: 401 })
    await expect(session!.renew(unauthorized, undefined, undefined)).rejects.toThrow('there is none')
    expect(uses).toEqual([use])
  },
)

test('tokens are sent only to their URL, and to no tool that declares them', async () => {
  const store = secretTokenStore(async () => secrets)
  const key = { serverName: 'remote', url: 'https://mcp.example/mcp' }
  await store.write(key, 'tokens of the server')
  const [entry] = await secrets.list()
  expect(entry).toMatchObject({ uses: ['sign-in:https://mcp.example/mcp'] })
  expect(await store.read(key)).toBe('tokens of the server')
  // Simulates a URL with the same short hash.
  await secrets.set(entry!.name, {
    value: 'tokens of another server',
    uses: ['sign-in:https://evil.example/'],
  })
  expect(await store.read(key)).toBe(null)
})

describe('invalid responses', () => {
  test('a response with a wrong state is rejected; the right one still counts', async () => {
    const forged: number[] = []
    const open: OpenSignIn = async ({ url }) => {
      const back = new URL(url.searchParams.get('redirect_uri')!)
      back.search = new URLSearchParams({ code: 'stolen', state: 'guessed' }).toString()
      forged.push((await fetch(back)).status)
      back.search = ''
      forged.push((await fetch(back)).status)
      return await browse({ url } as SignInServer)
    }
    expect(await (await connect({ open })).call('whoami')).toBe('you')
    expect(forged).toEqual([400, 400])
    expect(server.counts.exchanged).toBe(1)
  })

  test('a request with an invalid URL is rejected; the sign-in continues', async () => {
    const answers: (number | undefined)[] = []
    const open: OpenSignIn = async ({ url }) => {
      const { hostname, port } = new URL(url.searchParams.get('redirect_uri')!)
      for (const path of ['//', 'http://[', '/elsewhere', '*']) {
        const [response] = await once(request({ hostname, port, path }).end(), 'response')
        answers.push((response as IncomingMessage).resume().statusCode)
      }
      return await browse({ url } as SignInServer)
    }
    expect(await (await connect({ open })).call('whoami')).toBe('you')
    expect(answers).toEqual([404, 404, 404, 404])
  })

  test('an authorization server that returns another state gets nothing', async () => {
    server.spoil.answer = (params) => params.set('state', 'another')
    const { call } = await connect({ open: browse, timeoutMs: 300 })
    await expect(call('whoami')).rejects.toThrow('which was not completed in time')
    expect(server.counts.exchanged).toBe(0)
  })

  test.each([
    ['another issuer', (params: URLSearchParams) => params.set('iss', 'https://evil.example')],
    ['a missing issuer', (params: URLSearchParams) => params.delete('iss')],
  ])('%s: the code is not sent, and the response is not shown', async (_, answer) => {
    server.spoil.answer = answer
    const error = await (await connect()).call('whoami').catch(String)
    expect(error).toContain('a different authorization server')
    expect(error).not.toContain('evil')
    expect(server.counts.exchanged).toBe(0)
    expect(await secrets.list().then((list) => list.length)).toBeLessThanOrEqual(1)
  })

  test('metadata that names another issuer', async () => {
    server.spoil.metadata = { issuer: 'https://evil.example' }
    const error = await (await connect()).call('whoami').catch(String)
    expect(error).toContain('a different authorization server')
    expect(server.counts).toMatchObject({ registered: 0, authorized: 0 })
  })

  test('metadata that is nested too deeply never reaches the SDK', async () => {
    server.spoil.metadata = { scopes: JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)) }
    await expect((await connect()).call('whoami')).rejects.toThrow(/expected JSON of at most 200 levels/)
    expect(server.counts).toMatchObject({ registered: 0, authorized: 0 })
  })

  test('a page that is not secure is not opened', async () => {
    server.spoil.metadata = { authorization_endpoint: 'http://login.example/authorize' }
    await expect((await connect()).call('whoami')).rejects.toThrow(
      'http://login.example, which is not secure',
    )
    expect(pages).toEqual([])
  })

  test('the person declines', async () => {
    server.spoil.answer = (params) => {
      params.delete('code')
      params.set('error', 'access_denied')
    }
    await expect((await connect()).call('whoami')).rejects.toThrow(
      'the MCP server remote rejected the sign-in (access_denied)',
    )
  })

  test('a server without client registration reports how to configure it', async () => {
    server.spoil.metadata = { registration_endpoint: undefined }
    await expect((await connect()).call('whoami')).rejects.toThrow('set `oauth.clientId` in mcp.json')
  })

  test('a server with the same name at another URL does not get the token', async () => {
    await (await connect()).call('whoami')
    const other = await startOAuthServer()
    await expect((await connect({ url: other.url })).call('whoami')).rejects.toThrow('requires a sign-in')
    const sent = other.resource.seen.map(({ headers }) => headers.authorization)
    expect(new Set(sent)).toEqual(new Set([undefined]))
  })
})

async function readAll(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  // Temporary files may disappear meanwhile.
  const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')
  return await Promise.all(files.map(({ parentPath, name }) => read(join(parentPath, name))))
}
