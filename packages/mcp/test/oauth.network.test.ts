import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSecretStore, type SecretStore } from '@curfew/extensions'
import { networkFetch } from '@curfew/extensions/internal'
import type { FetchLike } from '@modelcontextprotocol/client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { OpenSignIn, SignInPage } from '../src/client/oauth/authorize.ts'
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

/** A person who signs in immediately. */
const browse: OpenSignIn = async ({ url }) => {
  pages.push(url)
  await fetch(url)
  return true
}

interface SessionOptions {
  readonly open?: OpenSignIn | undefined
  readonly url?: string
  readonly timeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly hide?: (value: string) => () => void
}

/** Connects as another process would: only the store is shared. */
async function connect(options: SessionOptions = { open: browse }): Promise<Remote> {
  const { url = server.url, open, timeoutMs, requestTimeoutMs, hide } = options
  const provider = new OAuthProvider({
    serverName: 'remote',
    url,
    store: secretTokenStore(async () => secrets),
    hide,
  })
  const session = new OAuthSession({ provider, open, timeoutMs, requestTimeoutMs })
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
    let show!: (page: SignInPage) => void
    const shown = new Promise<SignInPage>((resolve) => {
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
      open: browse,
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
      return await browse({ url } as SignInPage)
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
      return await browse({ url } as SignInPage)
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
