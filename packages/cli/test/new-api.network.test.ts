import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { loadExtensions } from '@curfew/extensions'
import { describe, expect, it } from 'vitest'
import { curlToApi } from '../src/new/curl-to-api.ts'
import { parseCurl } from '../src/new/parse-curl.ts'
import { splitShellWords } from '../src/new/split-shell-words.ts'
import { type Ended, ending, runCurfew, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const environment = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  CURFEW_TRUST: '',
  HTTP_PROXY: '',
  http_proxy: '',
})
const curfew = (...args: string[]): Promise<Ended> => runCurfew(args, environment(), project)
const translate = (curl: string): ReturnType<typeof curlToApi> => curlToApi('shop', parseCurl(curl))

/** Loads a definition from a file, and returns its problems. */
async function problemsOf(definition: object): Promise<string[]> {
  const folder = join(home, '.config/curfew/extensions/apis')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(definition))
  const { tools, problems } = await loadExtensions({ cwd: home, env: { HOME: home } })
  expect(tools).toHaveLength(1)
  return problems.map(({ field, message }) => `${field}: ${message}`)
}

describe('splitShellWords', () => {
  it.each<[string, string[]]>([
    ['curl  a\tb', ['curl', 'a', 'b']],
    [`curl 'a "b"' "c 'd'"`, ['curl', 'a "b"', "c 'd'"]],
    ['curl \\\n  -X POST \\\r\n url', ['curl', '-X', 'POST', 'url']],
    ['a"b"\'c\'d ""', ['abcd', '']],
    ['a\\ b "\\"\\\\\\$\\n" \'\\n\'', ['a b', '"\\$\\n', '\\n']],
    ["$'it\\'s\\n\\u0041\\x42'", ["it's\nAB"]],
    ['"continued \\\nline"', ['continued line']],
    ['', []],
  ])('splits %j', (command, words) => {
    expect(splitShellWords(command)).toEqual(words)
  })

  it.each([`curl 'a`, 'curl "a', "curl $'a", 'curl a | jq', 'curl a && b', 'curl a > f', 'curl `b`'])(
    'rejects %j',
    (command) => {
      expect(() => splitShellWords(command)).toThrow(/unterminated|only a shell interprets/)
    },
  )
})

describe('a curl command becomes', () => {
  it('a GET whose query becomes parameters', async () => {
    const { definition, secrets } = translate(
      `curl -sSL 'https://api.shop.example/v1/items?limit=10&tag=a&tag=b&q={q}' -H 'Accept: application/json' --compressed`,
    )
    expect(definition).toEqual({
      name: 'shop',
      description: 'Call GET api.shop.example/v1/items.',
      endpoint: {
        url: 'https://api.shop.example/v1/items',
        method: 'GET',
        headers: { Accept: 'application/json' },
      },
      parameters: {
        limit: { type: 'string', default: '10' },
        tag: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
        q: { type: 'string', required: true },
      },
    })
    expect(secrets).toEqual([])
    expect(await problemsOf(definition)).toEqual([])
  })

  it('a JSON POST with parameters typed by the example values', async () => {
    const { definition } = translate(
      `curl -X POST https://api.shop.example/{shop}/orders -H 'Content-Type: application/json' -m 20 \\
        -d '{"item": "tea", "count": 2, "weight": 1.5, "gift": true, "tags": ["a"], "to": {"city": "Oslo"}, "note": null}'`,
    )
    expect(definition).toMatchObject({
      endpoint: {
        url: 'https://api.shop.example/{shop}/orders',
        method: 'POST',
        content_type: 'json',
        timeout: 20,
      },
      parameters: {
        shop: { type: 'string', required: true },
        item: { type: 'string', description: 'Example: "tea"', required: true },
        count: { type: 'integer', description: 'Example: 2', required: true },
        weight: { type: 'number' },
        gift: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' }, description: 'Example: ["a"]', required: true },
        to: { type: 'object', description: 'Example: {"city":"Oslo"}', required: true },
        note: { type: 'string' },
      },
    })
    expect(JSON.stringify(definition)).not.toContain('default')
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each([
    `curl https://a.example -d name=Ada -d 'city=New+York'`,
    `curl https://a.example --data-urlencode 'name=Ada' --data-urlencode 'city=New York'`,
    `curl https://a.example -d 'name=Ada&city=New%20York' -H 'content-type: application/x-www-form-urlencoded'`,
    `curl --url https://a.example -F name=Ada --form-string 'city=New York'`,
  ])('a form: %s', async (command) => {
    const { definition, notes } = translate(command)
    expect(definition).toMatchObject({
      endpoint: { url: 'https://a.example/', method: 'POST', content_type: 'form' },
      parameters: {
        name: { type: 'string', description: 'Example: "Ada"', required: true },
        city: { type: 'string', description: 'Example: "New York"', required: true },
      },
    })
    expect(notes.length).toBe(command.includes('-F') ? 1 : 0)
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each<[string, object]>([
    ['curl -G https://a.example -d a=1 --data-urlencode b=x', { method: 'GET' }],
    [`curl --json '{"a":1}' https://a.example`, { method: 'POST', content_type: 'json' }],
    [`curl -d '{"a":1}' https://a.example`, { method: 'POST', content_type: 'json' }],
    ['curl -XDELETE https://a.example/x', { method: 'DELETE' }],
    ['curl -I https://a.example', { method: 'HEAD' }],
    ['curl a.example/x', { url: 'http://a.example/x' }],
    ['$ curl -A me -e http://b https://a.example', { headers: { 'User-Agent': 'me', Referer: 'http://b' } }],
    [
      `curl https://a.example -H 'content-type: application/vnd.api+json' -d '{"a":1}'`,
      { content_type: 'json', headers: { 'content-type': 'application/vnd.api+json' } },
    ],
  ])('%s', async (command, endpoint) => {
    const { definition } = translate(command)
    expect(definition).toMatchObject({ endpoint })
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each<[string, object, string]>([
    [`-H 'Authorization: Bearer HIDDEN'`, { auth: { type: 'bearer', env: 'SHOP_TOKEN' } }, 'SHOP_TOKEN'],
    [`-H "Authorization: Bearer $MY_TOKEN"`, { auth: { type: 'bearer', env: 'MY_TOKEN' } }, 'MY_TOKEN'],
    [`-H 'authorization: Basic SElEREVO'`, { auth: { type: 'basic', env: 'SHOP_LOGIN' } }, 'SHOP_LOGIN'],
    [
      `-H 'Authorization: Token HIDDEN'`,
      { endpoint: { headers: { Authorization: 'Token secret:SHOP_TOKEN' } } },
      'SHOP_TOKEN',
    ],
    [
      `-H 'Authorization: HIDDEN'`,
      { endpoint: { headers: { Authorization: 'secret:SHOP_TOKEN' } } },
      'SHOP_TOKEN',
    ],
    [
      `-H 'X-API-Key: HIDDEN'`,
      { auth: { type: 'apikey', header: 'X-API-Key', env: 'SHOP_KEY' } },
      'SHOP_KEY',
    ],
    [
      `-H 'PRIVATE-TOKEN: HIDDEN' -H 'X-Second-Key: HIDDEN'`,
      {
        auth: { type: 'apikey', header: 'PRIVATE-TOKEN', env: 'SHOP_KEY' },
        endpoint: { headers: { 'X-Second-Key': 'secret:SHOP_KEY_2' } },
      },
      'SHOP_KEY SHOP_KEY_2',
    ],
    [`-u 'HIDDEN:HIDDEN'`, { auth: { type: 'basic', env: 'SHOP_LOGIN' } }, 'SHOP_LOGIN'],
    [`-G -d api_key=HIDDEN`, { endpoint: { query: { api_key: 'secret:SHOP_KEY' } } }, 'SHOP_KEY'],
    [`-d password=HIDDEN -d user=ada`, { parameters: { password: { type: 'string', required: true } } }, ''],
    [`-H 'X-Session-Id: HIDDEN'`, { auth: { type: 'apikey', header: 'X-Session-Id' } }, 'SHOP_KEY'],
    [
      `-H 'apikey: HIDDEN' -H 'Authorization: Bearer HIDDEN'`,
      { auth: { type: 'bearer' }, endpoint: { headers: { apikey: 'secret:SHOP_KEY' } } },
      'SHOP_TOKEN SHOP_KEY',
    ],
    [
      `-G -d X-Amz-Signature=HIDDEN`,
      { endpoint: { query: { 'X-Amz-Signature': 'secret:SHOP_KEY' } } },
      'SHOP_KEY',
    ],
    [`-d db_pwd=HIDDEN`, { parameters: { db_pwd: { type: 'string', required: true } } }, ''],
    [`-d user_credentials=HIDDEN`, { parameters: { user_credentials: { required: true } } }, ''],
    [
      `--json '{"to": [{"password": "HIDDEN"}]}'`,
      { parameters: { to: { type: 'array', required: true } } },
      '',
    ],
    [`-G -d assignee=ada -d author=bo`, { parameters: { assignee: { default: 'ada' } } }, ''],
    [`-H 'Idempotency-Key: 1'`, { endpoint: { headers: { 'Idempotency-Key': '1' } } }, ''],
  ])('a tool with the name of a secret, never its value: %s', async (options, expected, names) => {
    const { definition, secrets } = translate(`curl https://a.example/x ${options}`)
    expect(definition).toMatchObject(expected)
    expect(JSON.stringify(definition)).not.toMatch(/HIDDEN|SElEREVO/)
    expect(secrets.map(({ name }) => name).join(' ')).toBe(names)
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each(['POST', 'PUT', 'PATCH'])('a %s whose query stays in the URL', async (method) => {
    const { definition } = translate(
      `curl -X ${method} 'https://a.example/x?dry_run=1&q={q}&tag=a&tag=b' --json '{"a": 1}'`,
    )
    expect(definition).toMatchObject({
      endpoint: {
        url: 'https://a.example/x?tag=a&tag=b',
        method,
        query: { dry_run: '{dry_run}', q: '{q}' },
      },
      parameters: {
        dry_run: { type: 'string', description: 'Example: "1"', required: true },
        q: { type: 'string', required: true },
        a: { type: 'integer', description: 'Example: 1', required: true },
      },
    })
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each(['GET', 'HEAD', 'DELETE'])('a %s whose parameters are its query', async (method) => {
    const { definition } = translate(`curl -X ${method} 'https://a.example/x?dry_run=1'`)
    expect(definition.endpoint).toEqual({ url: 'https://a.example/x', method })
    const example = method === 'DELETE' ? { description: 'Example: "1"', required: true } : { default: '1' }
    expect(definition.parameters).toEqual({ dry_run: { type: 'string', ...example } })
  })

  it.each([
    ['/repos/OWNER/REPO/issues', '/repos/{owner}/{repo}/issues'],
    ['/users/:userId/x', '/users/{userid}/x'],
    ['/users/$USER_ID', '/users/{user_id}'],
    [`/users/\${USER_ID}`, '/users/{user_id}'],
    ['/users/<user-id>', '/users/{user_id}'],
    ['/users/{userId}', '/users/{userId}'],
    ['/V2/Users/a:b', '/V2/Users/a:b'],
  ])('a path with its parameters: %s', async (path, expected) => {
    const { definition } = translate(`curl 'https://a.example${path}'`)
    expect(definition.endpoint).toMatchObject({ url: `https://a.example${expected}` })
    const names = [...expected.matchAll(/\{(.+?)\}/g)].map(([, name]) => [
      name,
      { type: 'string', required: true },
    ])
    expect(definition.parameters ?? {}).toEqual(Object.fromEntries(names))
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each([
    ['["a"]', { type: 'string' }],
    ['[1, 1.5]', { type: 'number' }],
    ['[1, "a"]', {}],
    ['[]', {}],
    ['[null]', {}],
    ['[[1], [2]]', { type: 'array', items: { type: 'integer' } }],
    ['[{"a": 1}]', { type: 'object' }],
  ])('an array parameter with the item type of the example: %s', async (list, items) => {
    const { definition } = translate(`curl https://a.example --json '{"list": ${list}}'`)
    expect(definition.parameters).toMatchObject({ list: { type: 'array', items } })
    expect(definition.parameters!.list!.items).toEqual(items)
    expect(await problemsOf(definition)).toEqual([])
  })

  it.each([
    ['https://api.github.com/x', 'host:api.github.com'],
    ['https://API.github.com:443/x', 'host:api.github.com'],
    ['http://api.github.com/x', 'host:http://api.github.com'],
    ['http://localhost:80/x', 'host:localhost:80'],
    ['https://intranet/x', 'host:intranet'],
  ])('a tool whose secrets are for its host: %s', (url, expected) => {
    expect(translate(`curl ${url}`).secretsFor).toBe(expected)
  })

  it.each<[string, string, string[]]>([
    [
      'https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage',
      '/bot{secret:SHOP_TOKEN}/sendMessage',
      ['SHOP_TOKEN'],
    ],
    [
      'https://api.telegram.org/file/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/x.jpg',
      '/file/bot{secret:SHOP_TOKEN}/x.jpg',
      ['SHOP_TOKEN'],
    ],
    [
      'https://api.telegram.org/bot$TELEGRAM_TOKEN/getMe',
      '/bot{secret:TELEGRAM_TOKEN}/getMe',
      ['TELEGRAM_TOKEN'],
    ],
    ['https://api.telegram.org/bot<token>/getMe', '/bot{secret:SHOP_TOKEN}/getMe', ['SHOP_TOKEN']],
    [
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      '/services/T00000000/B00000000/{secret:SHOP_TOKEN}',
      ['SHOP_TOKEN'],
    ],
    [
      'https://discord.com/api/webhooks/1234567890/abcDEF-123_xyz',
      '/api/webhooks/1234567890/{secret:SHOP_TOKEN}',
      ['SHOP_TOKEN'],
    ],
    [
      'https://discord.com/api/webhooks/1234567890/abcDEF-123_xyz/slack',
      '/api/webhooks/1234567890/{secret:SHOP_TOKEN}/slack',
      ['SHOP_TOKEN'],
    ],
    [
      'https://mainnet.infura.io/v3/d41d8cd98f00b204e9800998ecf8427e',
      '/v3/{secret:SHOP_TOKEN}',
      ['SHOP_TOKEN'],
    ],
    [
      'https://maker.example/trigger/x/with/key/abcdefgh1',
      '/trigger/x/with/key/{secret:SHOP_TOKEN}',
      ['SHOP_TOKEN'],
    ],
    ['https://a.example/v1/YOUR_API_KEY/quote', '/v1/{secret:SHOP_TOKEN}/quote', ['SHOP_TOKEN']],
    ['https://a.example/tokens/{token_id}', '/tokens/{token_id}', []],
    ['https://a.example/repos/ada/engine/hooks/12345678', '/repos/ada/engine/hooks/12345678', []],
    [
      'https://a.example/objects/550e8400-e29b-41d4-a716-446655440000',
      '/objects/550e8400-e29b-41d4-a716-446655440000',
      [],
    ],
  ])('a tool with a secret in its path: %s', async (url, path, names) => {
    const { definition, secrets } = translate(`curl -X POST '${url}' -d text=hi`)
    expect(definition.endpoint.url).toBe(new URL(url).origin + path)
    expect(secrets.map(({ name }) => name)).toEqual(names)
    expect(definition.description).toBe(
      `Call POST ${new URL(url).host}${path.replace(/\{secret:\w+\}/, '...')}.`,
    )
    expect(await problemsOf(definition)).toEqual([])
  })

  it('a tool with secrets for all values that look like keys', () => {
    const key = 'sk_live_0123456789abcdef'
    const { definition, secrets } = translate(
      `curl 'https://a.example/x?q=1&v=${key}' -H 'X-Custom: ${key}' --json '{"a": "${key}", "b": ["x ${key}"]}'`,
    )
    expect(JSON.stringify(definition)).not.toContain(key)
    expect(secrets.map(({ name }) => name)).toEqual(['SHOP_KEY', 'SHOP_KEY_2'])
    expect(definition.parameters).toMatchObject({ a: { required: true }, b: { required: true } })
  })

  it.each([
    [`-H 'Content-Type: application/xml' -d '<order><item>tea</item></order>'`, 'application/xml'],
    [`-H 'content-type: application/x-ndjson' --data-binary $'{"a":1}\\n{"a":2}'`, 'application/x-ndjson'],
    [`-H 'Content-Type: text/plain' -d 'a=b'`, 'text/plain'],
    [`-d '<order/>'`, 'application/x-www-form-urlencoded'],
    [`-d 'just words'`, 'application/x-www-form-urlencoded'],
  ])('a raw body that is sent unchanged: %s', async (options, type) => {
    const { definition } = translate(`curl https://a.example/x ${options}`)
    const { headers = {} } = definition.endpoint as { headers?: Record<string, string> }
    expect(definition.endpoint).toMatchObject({ content_type: 'raw', method: 'POST' })
    expect(Object.values(headers)).toEqual([type])
    expect(definition.parameters).toEqual({
      body: {
        type: 'string',
        description: expect.stringMatching(/sent unchanged\. Example: "/),
        required: true,
      },
    })
    expect(await problemsOf(definition)).toEqual([])
  })

  it('a tool without the example of a raw body that contains a secret', () => {
    const { definition, notes } = translate(
      `curl https://a.example -H 'Content-Type: text/xml' -d '<login><password>HIDDEN</password></login>'`,
    )
    expect(JSON.stringify(definition)).not.toContain('HIDDEN')
    expect(notes.join()).toContain('contain a secret')
  })

  it('a tool with a secret for a login in the URL', () => {
    const { definition } = translate('curl https://me:HIDDEN@a.example/x')
    expect(definition).toMatchObject({ endpoint: { url: 'https://a.example/x' }, auth: { type: 'basic' } })
  })

  it.each([
    ['wget x', /does not start with curl/],
    ['curl', /has no URL/],
    ['curl a b', /expected one URL/],
    ['curl http://', /is not a URL/],
    ['curl -b session=1 https://a.example', /--cookie: cookies belong to a person/],
    [`curl -H 'Cookie: a=b' https://a.example`, /cookies belong to a person/],
    [`curl -H 'Host: b' https://a.example`, /cannot set Host/],
    ['curl -k https://a.example', /always verified/],
    ['curl -x http://p https://a.example', /HTTPS_PROXY/],
    ['curl -d @file https://a.example', /cannot read files/],
    ['curl --data-urlencode a@file https://a.example', /cannot read files/],
    ['curl -F a=@file https://a.example', /cannot send files/],
    ['curl -T file https://a.example', /cannot send files/],
    ['curl --frobnicate https://a.example', /--frobnicate/],
    ['curl -q https://a.example', /unsupported option -q/],
    ['curl https://a.example -X', /--request: expected a value/],
    ['curl -X PURGE https://a.example', /cannot send PURGE/],
    ['curl -X GET -d a=1 https://a.example', /GET with a body/],
    [`curl -d '[1]' https://a.example`, /expected a JSON object/],
    [`curl --json '{' https://a.example`, /not JSON/],
    ['curl https://a.example/{a,b}', /braces/],
    ['curl -H nonsense https://a.example', /--header: expected/],
    [`curl -u a:b -H 'Authorization: Bearer x' https://a.example`, /two logins/],
    ['curl -m never https://a.example', /--max-time/],
  ])('an error with the reason: %s', (command, expected) => {
    expect(() => translate(command)).toThrow(expected)
  })
})

describe('curfew new api', () => {
  const fileOf = (name: string): string => join(project, '.curfew/extensions/apis', `${name}.json`)

  it('creates a file that loads', async () => {
    expect(await curfew('new', 'api', 'hello')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'created .curfew/extensions/apis/hello.json\ntry it with: curfew call api_hello\n',
    })
    const listed = await curfew('tools')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toMatch(/api_hello +api +read-only +20 s/)
  })

  it('creates a working tool from a curl command, except for its secret', async () => {
    const seen: string[] = []
    const server = createServer(async (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`)
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const curl = `curl -X POST ${url}/orders -H "Authorization: Bearer HIDDEN" --json '{"item": "tea"}'`
      const made = await curfew('new', 'api', 'api_order', '--curl', curl)
      expect(made).toMatchObject({ code: 0, stderr: '' })
      const host = url.slice('http://'.length)
      expect(made.stdout).toContain(
        `store it first: curfew secret set ORDER_TOKEN --for ${host}\ncall it with: curfew call api_order '{"item":"..."}'\n`,
      )
      expect(readFileSync(fileOf('order'), 'utf8')).not.toContain('HIDDEN')
      const env = { ...environment(), ORDER_TOKEN: 'mine' }
      // Example values from documentation must not be sent.
      expect(await runCurfew(['call', 'api_order', '{}'], env, project)).toMatchObject({ code: 2 })
      expect(seen).toEqual([])
      const called = await runCurfew(['call', 'api_order', '{"item": "milk"}'], env, project)
      expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok":true') })
      expect(seen).toEqual(['POST /orders Bearer mine {"item":"milk"}'])
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  it('never overwrites a file, and rejects what it does not support', async () => {
    await curfew('new', 'api', 'hello')
    writeFileSync(fileOf('hello'), 'mine')
    expect(await curfew('new', 'api', 'hello')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    })
    expect(readFileSync(fileOf('hello'), 'utf8')).toBe('mine')
    expect(await curfew('new', 'api', 'x', '--curl', 'curl -b a=b https://a.example')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('cookies'),
    })
    expect(await curfew('new', 'api', 'x', '--lang', 'js')).toMatchObject({ code: 2 })
    expect(await curfew('new', 'script', 'x', '--curl', 'curl a')).toMatchObject({ code: 2 })
    expect(await curfew('new', 'api', '../up')).toMatchObject({ code: 2 })
    expect(await curfew('new', 'api')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('curfew new api weather'),
    })
  })

  it('reads the command from standard input, and suggests that after a quoting mistake', async () => {
    const child = startCurfew(['new', 'api', 'x', '--curl', '-'], environment(), project, 'pipe')
    child.stdin!.end(`curl -X DELETE 'https://a.example/x' \\\n -H 'X-Key: HIDDEN'\n`)
    expect((await ending(child)).stdout).toBe(
      'created .curfew/extensions/apis/x.json\nit requires the value of X-Key, which is not in the file\n' +
        'store it first: curfew secret set X_KEY --for a.example\ncall it with: curfew call api_x\n',
    )
    for (const rest of [['b https://a.example'], ['-d', 'x']]) {
      expect(await curfew('new', 'api', 'y', '--curl', 'curl -H a:', ...rest)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/probably ended it early.+--curl - <<'END'/),
      })
    }
  })

  it('shows an example with the required parameters', async () => {
    const made = await curfew('new', 'api', 'user', '--curl', 'curl https://a.example/users/{id}', '--user')
    expect(made.stdout).toContain(`curfew call api_user '{"id":"..."}'`)
  })
})
