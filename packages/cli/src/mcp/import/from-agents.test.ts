import { describe, expect, it } from 'vitest'
import { type Dialect, fromClaude, fromWindsurf, fromZed, type ServerContext } from './dialects.ts'
import { fromOpencode } from './opencode-sources.ts'
import type { Translated } from './translation.ts'
import { fromVscode } from './vscode-sources.ts'

const context: ServerContext = {
  name: 'docs',
  folder: '/home/ada/shop',
  isHome: false,
  file: '/home/ada/shop/.vscode/mcp.json',
  document: {},
}

function translate(dialect: Dialect, server: object, changed: Partial<ServerContext> = {}): Translated {
  return dialect(server as Record<string, unknown>, { ...context, ...changed })
}

describe('VS Code', () => {
  const document = {
    inputs: [
      { id: 'docs-pass', type: 'promptString', password: true },
      { id: 'api_key', type: 'promptString' },
      { id: 'region', type: 'promptString', default: 'eu' },
      { id: 'stage', type: 'pickString', options: ['a', 'b'] },
      'odd',
    ],
  }

  it('a password or a key that it asks for becomes a secret, in the form for its position', () => {
    const { entry, secrets } = translate(
      fromVscode,
      {
        type: 'http',
        url: 'https://docs.example.com/mcp?k=${input:api_key}&x=1',
        headers: {
          Authorization: 'Bearer ${input:docs-pass}',
          'X-Both': '${input:api_key}:${input:docs-pass}',
        },
      },
      { document },
    )
    expect(entry).toEqual({
      type: 'http',
      url: 'https://docs.example.com/mcp?k={secret:API_KEY}&x=1',
      headers: { Authorization: 'Bearer secret:DOCS_PASS', 'X-Both': '{secret:API_KEY}:{secret:DOCS_PASS}' },
    })
    expect(secrets.map(({ name, origin }) => [name, origin])).toEqual([
      ['API_KEY', 'the input "api_key"'],
      ['DOCS_PASS', 'the input "docs-pass"'],
    ])
  })

  it('other inputs become variables, and variables of the editor are expanded', () => {
    const { entry, notes } = translate(
      fromVscode,
      {
        command: '${workspaceFolder}/bin',
        args: ['${input:region}', '${input:stage}', '$5', '${userHome}', '${HOME}', '${command:x.y}'],
        env: { A: '${env:HOME}', B: 5, C: null },
        gallery: 'x',
      },
      { document: { mcp: document } },
    )
    expect(entry).toEqual({
      command: '/home/ada/shop/bin',
      args: ['${REGION:-eu}', '${STAGE}', '$$5', '${HOME}', '$${HOME}', '$${command:x.y}'],
      env: { A: '${HOME}', B: 5 },
    })
    expect(notes).toEqual([
      'the input "region" has its default; to change it, set the variable REGION',
      'the input "stage" is now the variable STAGE; set it, or write the value instead',
      'warning: ${command:x.y} is not supported; write the value instead',
    ])
  })

  it('reports that there is no sandbox, and no envFile', () => {
    const { notes } = translate(fromVscode, { command: 'x', sandboxEnabled: true, envFile: '.env' })
    expect(notes).toEqual([
      '"envFile" is not supported; put the variables of that file into "env"',
      'warning: "sandboxEnabled" is not supported; the server runs without a sandbox',
    ])
  })
})

it('Windsurf: serverUrl, disabledTools, variables and files', () => {
  const { entry, secrets } = translate(fromWindsurf, {
    serverUrl: 'https://docs.example.com/mcp',
    headers: {
      Authorization: 'Bearer ${env:TOKEN}',
      'X-File': '${file:/run/docs key.txt}',
      'X-C': '${TOKEN}',
    },
    disabled: true,
    disabledTools: ['drop'],
  })
  expect(entry).toEqual({
    url: 'https://docs.example.com/mcp',
    headers: { Authorization: 'Bearer ${TOKEN}', 'X-File': 'secret:DOCS_DOCS_KEY', 'X-C': '$${TOKEN}' },
    disabled: true,
    exclude: ['drop'],
  })
  expect(secrets).toEqual([
    { name: 'DOCS_DOCS_KEY', origin: 'the contents of /run/docs key.txt', file: '/run/docs key.txt' },
  ])
})

it.each(['/run/\u001bc', '/run/a\nb', '/run/\u202etxt'])('a file with the path %j is rejected', (path) => {
  const { unusable } = translate(fromWindsurf, { command: 'x', env: { A: `\${file:${path}}` } })
  expect(unusable).toBe('env: the path of a file contains control characters or invisible ones')
})

describe('Zed', () => {
  it.each([
    [
      { command: 'npx', args: ['x'], env: { A: '$5' }, timeout: 90, enabled: false },
      { command: 'npx', args: ['x'], env: { A: '$$5' }, timeout: '90s', disabled: true },
    ],
    [
      { source: 'custom', command: { path: 'npx', args: ['x'], env: { A: 'b' } }, settings: {} },
      { command: 'npx', args: ['x'], env: { A: 'b' } },
    ],
    [
      { url: 'https://a.example/mcp', headers: { A: 'b' }, oauth: { client_id: 'c' } },
      { url: 'https://a.example/mcp', headers: { A: 'b' }, oauth: { clientId: 'c' } },
    ],
  ])('%o', (server, entry) => {
    expect(translate(fromZed, server)).toEqual({ entry, notes: [], secrets: [], unusable: null })
  })

  it.each([[{ source: 'extension', settings: {} }], [{ enabled: true, settings: { a: 1 } }]])(
    'the server of an extension cannot be imported: %o',
    (server) => {
      expect(translate(fromZed, server).unusable).toMatch(/^comes from an extension of Zed/)
    },
  )
})

describe('opencode', () => {
  it.each([
    [
      { type: 'local', command: ['npx', '-y', 'x'], environment: { A: '{env:B}', C: '$5' }, timeout: 5_000 },
      { command: 'npx', args: ['-y', 'x'], env: { A: '${B}', C: '$$5' }, timeout: '5s' },
    ],
    [
      {
        type: 'remote',
        url: 'https://a.example/mcp',
        enabled: false,
        oauth: { clientId: 'c', scope: 'a b' },
      },
      { url: 'https://a.example/mcp', disabled: true, oauth: { clientId: 'c', scopes: ['a', 'b'] } },
    ],
    [
      {
        type: 'remote',
        url: 'https://a.example/mcp',
        oauth: false,
        timeout: { startup: 60_000, request: 9 },
      },
      { url: 'https://a.example/mcp', timeout: '9ms', startTimeout: '1m' },
    ],
    [{ enabled: false }, { disabled: true }],
  ])('%o', (server, entry) => {
    expect(translate(fromOpencode, server)).toEqual({ entry, notes: [], secrets: [], unusable: null })
  })

  it('the contents of a file become a secret, and the file is not read', () => {
    const { entry, secrets } = translate(fromOpencode, {
      type: 'local',
      command: ['x', '--key={file:./key.txt}'],
      environment: { API_TOKEN: '{file:~/token}' },
    })
    expect(entry).toEqual({
      command: 'x',
      args: ['--key=secret:DOCS_KEY'],
      env: { API_TOKEN: 'secret:API_TOKEN' },
    })
    expect(secrets.map(({ name, file }) => [name, file])).toEqual([
      ['DOCS_KEY', '/home/ada/shop/.vscode/key.txt'],
      ['API_TOKEN', expect.stringMatching(/^\/.+\/token$/)],
    ])
  })

  it('a folder that is relative to each project is not imported into the user’s file', () => {
    const server = { type: 'local', command: ['x'], cwd: 'sub' }
    expect(translate(fromOpencode, server)).toMatchObject({ entry: { cwd: 'sub' }, notes: [] })
    expect(translate(fromOpencode, server, { isHome: true })).toMatchObject({
      entry: { command: 'x' },
      notes: [expect.stringMatching(/^"cwd" was not imported/)],
    })
    expect(translate(fromOpencode, { ...server, cwd: '.' }, { isHome: true }).notes).toEqual([])
  })

  it('an entry that only enables a server is not one', () => {
    expect(translate(fromOpencode, { enabled: true }).unusable).toMatch(/^only enables/)
  })
})

it.each([
  [
    { type: 'streamableHttp', url: 'https://a.example' },
    { type: 'http', url: 'https://a.example' },
  ],
  [
    { transport: 'sse', serverUrl: 'https://a.example' },
    { type: 'sse', url: 'https://a.example' },
  ],
  [{ httpUrl: 'https://a.example' }, { url: 'https://a.example' }],
  [
    { type: 'local', command: ['a', 'b'], args: ['c'] },
    { command: 'a', args: ['b', 'c'] },
  ],
])('any file may use another notation: %o', (server, entry) => {
  expect(translate(fromClaude, server).entry).toEqual(entry)
})
