import { describe, expect, it } from 'vitest'
import { differingFields, isKeyless } from './compare-servers.ts'

const npx = { command: 'npx', args: ['-y', 'x', '--flag'] }
const remote = { url: 'https://example.com/mcp' }

describe('the same server in another notation', () => {
  it.each<[string, object, object]>([
    ['the default type', npx, { type: 'stdio', ...npx }],
    ['another type for HTTP', { ...remote, type: 'http' }, { ...remote, type: 'streamable-http' }],
    ['SSE, which HTTP falls back to', remote, { ...remote, type: 'sse' }],
    ['--yes', npx, { command: 'npx', args: ['--yes', 'x', '--flag'] }],
    ['no -y', npx, { command: 'npx', args: ['x', '--flag'] }],
    ['cmd /c', npx, { command: 'cmd', args: ['/c', 'npx', '-y', 'x', '--flag'] }],
    ['cmd.exe /C npx.cmd', npx, { command: 'cmd.exe', args: ['/C', 'npx.cmd', '-y', 'x', '--flag'] }],
    ['uv tool run', { command: 'uvx', args: ['x'] }, { command: 'uv', args: ['tool', 'run', 'x'] }],
    ['a final slash', remote, { url: 'https://example.com/mcp/' }],
    ['the default port', remote, { url: 'https://Example.com:443/mcp' }],
    ['the order of variables', { ...npx, env: { A: '1', B: '2' } }, { ...npx, env: { B: '2', A: 1 } }],
    ['the case of headers', { ...remote, headers: { 'X-A': 'b' } }, { ...remote, headers: { 'x-a': 'b' } }],
    ['no args', { command: 'x' }, { command: 'x', args: [] }],
    ['another unit', { ...npx, timeout: 60_000 }, { ...npx, timeout: '1m' }],
    ['another notation of a variable', { ...npx, env: { A: '$B' } }, { ...npx, env: { A: '${B}' } }],
    ['a secret', { ...npx, env: { API_KEY: 'secret:K' } }, { ...npx, env: { API_KEY: 'hunter2-hunter2' } }],
    [
      'a secret in a URL',
      { url: 'https://example.com/mcp?key={secret:K}' },
      { url: 'https://example.com/mcp?key=hunter2-hunter2' },
    ],
    ['settings of Curfew', { ...npx, timeout: '5m', exclude: ['x'], trust: true, pin: 'off' }, npx],
    ['disabled', { ...npx, disabled: true }, npx],
  ])('%s', (_name, ours, theirs) => {
    expect(differingFields('a', ours, theirs as Record<string, unknown>)).toEqual([])
  })
})

it.each<[string, object, object, string[]]>([
  ['the package', npx, { command: 'npx', args: ['-y', 'y'] }, ['args']],
  [
    'an argument of the server',
    { command: 'npx', args: ['x', '-y'] },
    { command: 'npx', args: ['x'] },
    ['args'],
  ],
  ['the program', { command: 'a' }, { command: 'b' }, ['command']],
  ['the kind', { command: 'a' }, remote, ['url', 'command']],
  ['the path', remote, { url: 'https://example.com/other' }, ['url']],
  ['a variable', { ...npx, env: { A: '1', B: '2' } }, { ...npx, env: { A: '2' } }, ['env.A', 'env.B']],
  ['a header', { ...remote, headers: { A: 'b' } }, { ...remote, headers: { a: 'c' } }, ['headers.a']],
  ['the folder', { ...npx, cwd: '/a' }, { ...npx, cwd: '/b/' }, ['cwd']],
  ['a filter of the agent', npx, { ...npx, exclude: ['drop'] }, ['exclude']],
  ['a limit of the agent', { ...npx, timeout: '1m' }, { ...npx, timeout: '30s' }, ['timeout']],
  [
    'a key, both in plain text',
    { ...npx, env: { API_KEY: 'hunter2-hunter2' } },
    { ...npx, env: { API_KEY: 'hunter3-hunter3' } },
    ['env.API_KEY'],
  ],
  [
    'a key in an argument',
    { command: 'x', args: ['--token=hunter2-hunter2'] },
    { command: 'x', args: ['--token=hunter3-hunter3'] },
    ['args'],
  ],
])('%s is a difference', (_name, ours, theirs, fields) => {
  expect(differingFields('a', ours, theirs as Record<string, unknown>)).toEqual(fields)
})

it('a literal dollar is not a variable', () => {
  expect(differingFields('a', { ...npx, env: { A: '$$B' } }, { ...npx, env: { A: '$B' } })).toEqual(['env.A'])
})

it('accepts any types', () => {
  const odd = { command: 5, args: 'x', env: [1], headers: null, url: {}, timeout: [], include: 'x' }
  expect(differingFields('a', odd, odd)).toEqual([])
  expect(differingFields('a', null, npx)).toEqual(['command', 'args'])
})

it.each([
  [npx, true],
  [{ ...npx, env: { API_KEY: 'hunter2-hunter2' } }, false],
  [{ ...npx, env: { API_KEY: 'secret:K' } }, false],
])('%o has no keys: %s', (entry, expected) => {
  expect(isKeyless('a', entry)).toBe(expected)
})
