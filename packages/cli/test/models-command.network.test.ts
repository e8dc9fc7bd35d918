import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { type Ended, ending, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

const canary = 'canary-key-0123456789'
/** An empty variable counts as missing. */
const emptyVariables = {
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_BASE_URL: '',
  GEMINI_API_KEY: '',
  GOOGLE_GENERATIVE_AI_API_KEY: '',
  OPENAI_API_KEY: '',
  OPENAI_BASE_URL: '',
  HTTP_PROXY: '',
  HTTPS_PROXY: '',
  http_proxy: '',
  https_proxy: '',
}

let home: string
let project: string
temporaryFolders((folders) => {
  ;({ home, project } = folders)
  writeFileSync(join(home, 'key'), Buffer.alloc(32, 3), { mode: 0o600 })
})

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serve(
  format: ModelServerOptions['format'],
  options: Partial<ModelServerOptions> = {},
): Promise<ModelServer> {
  const server = await startModelServer({ format, script: () => [{ text: 'OK' }], ...options })
  closing.push(() => server.close())
  return server
}

/** Responds to all requests in the same way, and counts them. */
async function serveRaw(
  respond: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ readonly url: string; readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume().on('end', () => respond(response, request))
  })
  return { url: `http://127.0.0.1:${await listen(server)}/v1`, requests }
}

/** Returns the port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

function curfew(args: readonly string[], env: Record<string, string> = {}, input?: string): Promise<Ended> {
  const all = {
    HOME: home,
    XDG_CONFIG_HOME: '',
    CURFEW_SECRET_STORE: 'file',
    CURFEW_KEY_FILE: join(home, 'key'),
    ...emptyVariables,
    ...env,
  }
  const child = startCurfew(args, all, project, input === undefined ? 'ignore' : 'pipe')
  child.stdin?.end(input)
  return ending(child)
}

const models = (args: readonly string[] = [], env: Record<string, string> = {}): Promise<Ended> =>
  curfew(['models', ...args], env)

function writeConfig(where: 'user' | 'project', config: object): string {
  const folder = where === 'user' ? join(home, '.config', 'curfew') : join(project, '.curfew')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify(config))
  return file
}

describe('the model responds', () => {
  test.each([
    ['google', 'google:gemini-test', 'GEMINI_API_KEY', 'x-goog-api-key'],
    ['anthropic', 'anthropic:claude-test', 'ANTHROPIC_API_KEY', 'x-api-key'],
  ] as const)('in the format of %s, with its key', async (format, model, variable, header) => {
    const server = await serve(format)
    const { code, stdout, stderr } = await models(['--model', `${model}@${server.url}`], {
      [variable]: canary,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      new RegExp(`^✓ ${model} \\(selected\\)\n  status  responds after .+\n  from    --model\n`),
    )
    expect(stdout).toContain(`  key     ${variable} (environment)\n`)
    expect(stdout).not.toContain(canary)
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]).toMatchObject({ problem: null, headers: { [header]: canary } })
  })

  test('in the format of OpenAI, without a key', async () => {
    const server = await serve('openai', { requiresKey: false })
    const name = `openai-compatible:qwen3:4b@${server.url}`
    const { code, stdout } = await models(['--model', name], { OPENAI_API_KEY: canary })
    expect(code).toBe(0)
    expect(stdout).toContain('✓ openai-compatible:qwen3:4b (selected)\n')
    expect(stdout).toContain('  key     none\n')
    expect(server.requests[0]!.body.model).toBe('qwen3:4b')
    expect(server.requests[0]!.headers.authorization).toBeUndefined()
  })

  test.each(['google', 'anthropic'] as const)(
    'without a key, a server in the format of %s gets no header for it',
    async (format) => {
      const server = await serve(format, { requiresKey: false })
      const { code } = await models(['--model', `${format}:test@${server.url}`])
      expect(code).toBe(0)
      expect(Object.keys(server.requests[0]!.headers)).not.toEqual(
        expect.arrayContaining([expect.stringContaining('api-key')]),
      )
    },
  )

  test('at the URL in ANTHROPIC_BASE_URL, to which other programs append /v1', async () => {
    const server = await serve('anthropic')
    const env = { ANTHROPIC_BASE_URL: new URL(server.url).origin, ANTHROPIC_API_KEY: canary }
    const { code, stdout } = await models([], env)
    expect(code).toBe(0)
    expect(stdout).toContain(`  server  ${server.url} (ANTHROPIC_BASE_URL)\n`)
  })

  test('with the model, the server and the key from config.json, and a stored key', async () => {
    const server = await serve('openai')
    const id = 'openai-compatible:qwen3'
    const { host } = new URL(server.url)
    expect((await curfew(['secret', 'set', 'LOCAL_KEY', '--for', host], {}, canary)).code).toBe(0)
    const set = [`model=${id}`, `models.${id}.baseUrl=${server.url}`, `models.${id}.key=LOCAL_KEY`]
    expect(await curfew(['config', 'set', ...set])).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout } = await models()
    expect(code).toBe(0)
    expect(stdout).toContain('  from    ~/.config/curfew/config.json\n')
    expect(stdout).toContain('  key     LOCAL_KEY (stored)\n')
    expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${canary}`)
  })
})

test('--json prints everything but the key', async () => {
  const server = await serve('openai')
  writeConfig('user', {
    model: `openai-compatible:a@${server.url}`,
    fallbackModel: 'google:gemini-test',
    models: {
      'openai-compatible:a': { key: 'A_KEY', contextWindow: 9_000, price: { input: 1, output: 2 } },
    },
  })
  const { code, stdout } = await models(['--json'], { A_KEY: canary })
  expect(code).toBe(0)
  expect(stdout).not.toContain(canary)
  expect(JSON.parse(stdout)).toMatchObject({
    selected: 'openai-compatible:a',
    models: [
      {
        model: 'openai-compatible:a',
        role: 'selected',
        from: join(home, '.config/curfew/config.json'),
        baseUrl: server.url,
        key: { name: 'A_KEY', from: 'environment' },
        contextWindow: 9_000,
        price: { input: 1, output: 2 },
        responds: true,
        responseMs: expect.any(Number),
        problem: null,
      },
      {
        model: 'google:gemini-test',
        role: 'fallback',
        key: null,
        contextWindow: 1_048_576,
        responds: null,
        problem: expect.stringContaining('curfew secret set GEMINI_API_KEY'),
      },
    ],
    error: null,
    problems: [],
  })
})

test('--no-check sends no request', async () => {
  const server = await serve('anthropic')
  const { code, stdout } = await models(['--no-check', '--model', `anthropic:x@${server.url}`])
  expect({ code, count: server.requests.length }).toEqual({ code: 0, count: 0 })
  expect(stdout).toContain('- anthropic:x (selected)\n  status  not checked\n')
})

test('an invalid --model is a usage error', async () => {
  expect(await models(['--model', 'gpt-5'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('curfew models: --model: expected provider:name[@base-url]'),
  })
})

describe('the exit code is 1', () => {
  test('if there is no model, and the ways to set one are listed', async () => {
    const { code, stdout, stderr } = await models()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^no model is configured.+--model .+curfew config set model=.+_API_KEY=/s)
  })

  test('if its key is missing', async () => {
    const { code, stdout } = await models(['--model', 'anthropic:x'])
    expect(code).toBe(1)
    expect(stdout).toContain(
      '✗ anthropic:x (selected)\n  status  there is no key for api.anthropic.com; run:',
    )
  })

  test('if it does not respond within 10 s', { timeout: 60_000 }, async () => {
    const server = await serve('google', { script: () => [{ stall: true }] })
    const { code, stdout } = await models(['--model', `google:x@${server.url}`], { GEMINI_API_KEY: canary })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ google:x .*\n {2}status {2}no response within 10 s/)
  })

  test.each([
    ['a server error', { error: 'server-error' }, /HTTP 500/],
    ['an invalid key', { error: 'auth' }, /HTTP 401/],
    ['a malformed response', [{ raw: 'data: {"choices": 5}\n\n' }], /status/],
  ] as const)('after %s, which is not retried', async (_, reply, message) => {
    const server = await serve('openai', { script: () => reply, requiresKey: false })
    const { code, stdout } = await models(['--model', `openai-compatible:x@${server.url}`])
    expect(code).toBe(1)
    expect(stdout).toMatch(message)
    expect(server.requests).toHaveLength(1)
  })
})

test('a base URL without a version is suspected after a 404', async () => {
  const { url } = await serve('openai', { requiresKey: false })
  const wrong = url.replace(/\/v1$/, '')
  const { code, stdout } = await models(['--model', `openai-compatible:x@${wrong}`])
  expect(code).toBe(1)
  expect(stdout).toMatch(/HTTP 404.*; most base URLs end with a version, as in http:.*\/v1\n/)
})

test('a hostile error cannot control the terminal or show the key', async () => {
  const message = `\x1b]0;owned\x07\x1b[2J\u202e${canary}\r\n✓ openai-compatible:x responds`
  const server = await serve('openai', { script: () => ({ error: { status: 400, message } }) })
  const id = 'openai-compatible:x'
  writeConfig('user', { models: { [id]: { key: 'A_KEY' } } })
  const { stdout } = await models(['--model', `${id}@${server.url}`], { A_KEY: canary })
  expect(stripVTControlCharacters(stdout)).toBe(stdout)
  expect(['\u202e', '\x07', '\r'].filter((character) => stdout.includes(character))).toEqual([])
  expect(stdout).not.toContain(canary)
  expect(stdout.match(/^✓/gm)).toBeNull()
})

describe('a key is sent only to its own server', () => {
  test.each([301, 302, 307, 308])('not after a redirect with status %i', async (status) => {
    const other = await serveRaw((response) => response.end())
    const server = await serveRaw((response) =>
      response.writeHead(status, { location: `${other.url}/messages` }).end(),
    )
    const { code, stdout } = await models(['--model', `anthropic:x@${server.url}`], {
      ANTHROPIC_API_KEY: canary,
    })
    expect(code).toBe(1)
    expect(stdout).toContain(`the server redirects to ${other.url}/messages (HTTP ${status})`)
    expect([server.requests.length, other.requests.length]).toEqual([1, 0])
  })

  test('not to another server with the protocol of OpenAI', async () => {
    const own = await serve('openai')
    const other = await serve('openai', { requiresKey: false })
    const env = { OPENAI_API_KEY: canary, OPENAI_BASE_URL: own.url }
    const model = 'openai-compatible:x'
    expect((await models(['--model', model], env)).code).toBe(0)
    expect((await models(['--model', `${model}@${other.url}`], env)).code).toBe(0)
    expect(own.requests[0]!.headers.authorization).toBe(`Bearer ${canary}`)
    expect(other.requests[0]!.headers.authorization).toBeUndefined()
  })

  test('a stored one not to a host that it is not bound to', async () => {
    const server = await serve('anthropic', { requiresKey: false })
    await curfew(['secret', 'set', 'ANTHROPIC_API_KEY', '--for', 'api.anthropic.com'], {}, canary)
    const { code, stdout } = await models(['--model', `anthropic:x@${server.url}`])
    expect(code).toBe(0)
    expect(stdout).toContain('ANTHROPIC_API_KEY is stored for api.anthropic.com, not for 127.0.0.1:')
    expect(server.requests[0]!.headers['x-api-key']).toBeUndefined()
  })
})

describe('the connection', () => {
  test('is made only with a valid certificate, whatever Node is told', async () => {
    const key = join(home, 'tls-key.pem')
    const certificate = join(home, 'tls.pem')
    const subject = ['-subj', '/CN=local', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', key, '-out', certificate]
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', [...args, '-days', '2', ...subject, ...files], { stdio: 'ignore' })
    const requests: (string | undefined)[] = []
    const credentials = { key: readFileSync(key), cert: readFileSync(certificate) }
    const server = createHttpsServer(credentials, (request, response) => {
      requests.push(request.url)
      response.writeHead(400).end()
    })
    const model = ['--model', `anthropic:x@https://127.0.0.1:${await listen(server)}/v1`]
    const careless = await models(model, { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' })
    expect(careless.stdout).toContain('self-signed certificate')
    expect(requests).toEqual([])
    expect((await models(model, { NODE_EXTRA_CA_CERTS: certificate })).stdout).toContain('HTTP 400')
    expect(requests).toEqual(['/v1/messages'])
  })

  test('goes through the proxy in the environment', async () => {
    const targets: (string | undefined)[] = []
    const proxy = createServer().on('connect', (request, socket) => {
      targets.push(request.url)
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    const env = { https_proxy: `http://127.0.0.1:${await listen(proxy)}`, no_proxy: '' }
    const { code } = await models(['--model', 'anthropic:x@https://models.invalid/v1'], env)
    expect({ code, targets }).toEqual({ code: 1, targets: ['models.invalid:443'] })
  })
})

describe('a project', () => {
  const trusted = { CURFEW_TRUST: '1' }

  test('cannot set a base URL, a key or a price: reported with file and field', async () => {
    const server = await serve('anthropic')
    const file = writeConfig('project', {
      model: `anthropic:x@${server.url}`,
      fallbackModel: `anthropic:y@${server.url}`,
      models: {
        'anthropic:claude-sonnet-5-5': {
          baseUrl: server.url,
          key: 'HOME',
          price: { input: 0, output: 0 },
          contextWindow: 5_000,
        },
      },
    })
    const { stdout, stderr } = await models(['--json', '--no-check'], {
      ...trusted,
      ANTHROPIC_API_KEY: canary,
    })
    const reason = 'only your own config.json can set this, so it is ignored'
    const url =
      'a project cannot set a base URL, because your prompts and keys would be sent there, so it is ignored'
    expect(stderr.trim().split('\n').sort()).toEqual(
      [
        `fallbackModel: ${url}`,
        `model: ${url}`,
        ...['baseUrl', 'key', 'price.input', 'price.output'].map(
          (name) => `models.anthropic:claude-sonnet-5-5.${name}: ${reason}`,
        ),
      ].map((line) => `warning: ${file}: ${line}`),
    )
    expect(JSON.parse(stdout).models).toMatchObject([
      {
        model: 'anthropic:claude-sonnet-5-5',
        baseUrl: 'https://api.anthropic.com/v1',
        key: { name: 'ANTHROPIC_API_KEY' },
        price: null,
        contextWindow: 5_000,
      },
    ])
  })

  test('can set the name of a model, which is sent to the server that the user configured', async () => {
    const server = await serve('openai', { requiresKey: false })
    writeConfig('project', { model: 'openai-compatible:x' })
    const { code } = await models([], { ...trusted, OPENAI_BASE_URL: server.url })
    expect({ code, model: server.requests[0]?.body.model }).toEqual({ code: 0, model: 'x' })
  })

  test('that is not trusted sets nothing', async () => {
    writeConfig('project', { model: 'google:x' })
    const { stderr } = await models()
    expect(stderr).toContain('is ignored because its files can run commands')
    expect(stderr).toContain('no model is configured')
  })
})

test('a misspelled model or base URL sends nothing to a default server', async () => {
  const server = await serve('anthropic')
  const env = { ANTHROPIC_API_KEY: canary, ANTHROPIC_BASE_URL: server.url }
  writeConfig('user', { model: 'openai-compatble:qwen3@http://127.0.0.1:8080/v1' })
  const misspelled = await models([], env)
  expect(misspelled).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('model: expected provider:name'),
  })
  writeConfig('user', { model: 'anthropic:x', models: { 'anthropic:x': { baseUrl: '127.0.0.1:8080' } } })
  const invalidUrl = await models([], env)
  expect(invalidUrl).toMatchObject({ code: 1, stderr: expect.stringContaining('baseUrl: expected a URL') })
  expect(server.requests.map(({ body }) => body.model)).not.toContain('x')
})

test.each([
  [{ model: 'gpt-5' }, 'model: expected provider:name[@base-url], with one of the providers'],
  [{ model: 7 }, 'model: must be string'],
  [{ model: 'google:x@http://a:b@c.d' }, 'model: the base URL must not contain a user name or password'],
  [{ fallbackModel: 'google:x@http://c.d?e' }, 'fallbackModel: the base URL must not contain a query'],
  [{ models: { gpt: {} } }, 'models.gpt: expected provider:name, with one of the providers'],
  [{ models: { 'google:x@http://a.b': {} } }, 'models.google:x@http://a.b: expected provider:name'],
  [{ models: { 'google:x': { key: 'a key' } } }, 'models.google:x.key: expected the name of a secret'],
  [{ models: { 'google:x': { baseUrl: 'a.b' } } }, 'models.google:x.baseUrl: expected a URL'],
  [{ models: { 'google:x': { baseUrl: 'https://a:b@c.d' } } }, 'models.google:x.baseUrl: expected a URL'],
  [{ models: { 'google:x': { price: { input: -1 } } } }, 'models.google:x.price.input: must be >= 0'],
  [{ models: { 'google:x': { price: 5 } } }, 'models.google:x.price: must be object'],
  [{ models: { 'google:x': { contextWindow: '5' } } }, 'models.google:x.contextWindow: must be integer'],
  [{ models: { 'google:x': { pirce: {} } } }, 'models.google:x.pirce: unknown field'],
])('an invalid config.json is reported with the field: %j', async (config, message) => {
  const file = writeConfig('user', config)
  const { stderr } = await models(['--no-check'])
  expect(stderr).toContain(`${file}: ${message}`)
})
