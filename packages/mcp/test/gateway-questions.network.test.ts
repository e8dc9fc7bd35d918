import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { curfew, type Gateway, type Home, startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'

const key = 'canary-4b1d0f7e92ac6538'

let home: Home
beforeAll(async () => {
  const rules = { ask: ['mcp__healthy__echo'], deny: ['mcp__healthy__fine'] }
  home = await hostileHome('healthy')
  const user = join(home.folder, '.config', 'curfew')
  const root = join(user, 'extensions', 'scripts', 'keyed')
  await mkdir(root, { recursive: true })
  await writeFile(join(user, 'config.json'), JSON.stringify({ approval: { rules } }))
  await writeFile(
    join(root, 'tool.json'),
    JSON.stringify({ name: 'keyed', description: 'Show the key.', secrets: ['TEST_KEY'] }),
  )
  await writeFile(join(root, 'script.js'), 'console.log(`the key is ${process.env.TEST_KEY}`)\n')
  const keyFile = join(home.folder, 'key')
  await writeFile(keyFile, Buffer.alloc(32, 'key').toString('base64'), { mode: 0o600 })
  Object.assign(home.env, { CURFEW_SECRET_STORE: 'file', CURFEW_KEY_FILE: keyFile })
})
afterAll(() => home[Symbol.asyncDispose]())

/** The older protocol asks in the middle of a call, the newer one between two requests. */
const eras: readonly [string, ClientOptions][] = [
  ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }],
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
]

describe.each(eras)('a client of %s', (era, options) => {
  function answering(answer: string | null): { prepare: (client: Client) => void; asked: string[] } {
    const asked: string[] = []
    return {
      asked,
      prepare(client) {
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.message)
          return answer === null ? { action: 'decline' } : { action: 'accept', content: { answer } }
        })
      },
    }
  }
  const canFill = { ...options, capabilities: { elicitation: { form: {} } } }

  test('is asked if a rule requires it, once or for a while', async () => {
    const once = answering('Yes, this once')
    await using gateway = await startGateway(home, { ...canFill, prepare: once.prepare })
    for (const text of ['a', 'b'])
      expect((await call(gateway, 'mcp__healthy__echo', { params: { text } })).text).toBe(text)
    expect(once.asked).toEqual([
      'Allow mcp__healthy__echo with {"text":"a"}?',
      'Allow mcp__healthy__echo with {"text":"b"}?',
    ])
    const more = answering('Yes, and for the next minute')
    await using patient = await startGateway(home, { ...canFill, prepare: more.prepare })
    for (const text of ['a', 'b'])
      expect((await call(patient, 'mcp__healthy__echo', { params: { text } })).text).toBe(text)
    expect(more.asked).toHaveLength(1)
  })

  test('can always allow a call, which is remembered until it is removed, also in a gateway that runs', async () => {
    const text = `always in ${era}`
    const echo = (gateway: Gateway) => call(gateway, 'mcp__healthy__echo', { params: { text } })
    const always = answering('Yes, always with these arguments')
    await using gateway = await startGateway(home, { ...canFill, prepare: always.prepare })
    expect((await echo(gateway)).text).toBe(text)
    const stored = join(home.folder, '.config', 'curfew', 'approvals.json')
    await expect.poll(() => readFile(stored, 'utf8').catch(() => ''), { timeout: 20_000 }).toContain(text)
    expect((await echo(gateway)).text).toBe(text)
    expect(always.asked).toHaveLength(1)

    const never = answering(null)
    await using next = await startGateway(home, { ...canFill, prepare: never.prepare })
    expect((await echo(next)).text).toBe(text)
    expect(never.asked).toEqual([])
    const other = await call(next, 'mcp__healthy__echo', { params: { text: 'other' } })
    expect(other).toMatchObject({ code: 'DENIED' })

    await promisify(execFile)(process.execPath, [curfew, 'approvals', 'remove', '--all-rules'], {
      cwd: home.folder,
      env: home.env,
    })
    expect(await echo(next)).toMatchObject({ code: 'DENIED' })
    expect(never.asked).toHaveLength(2)
  })

  test('sees the end of a long argument, and invisible characters', async () => {
    const { asked, prepare } = answering(null)
    await using gateway = await startGateway(home, { ...canFill, prepare })
    const text = `${'x'.repeat(5_000)}\u202e; rm -rf /`
    expect(await call(gateway, 'mcp__healthy__echo', { params: { text } })).toMatchObject({ code: 'DENIED' })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatch(
      /^Allow mcp__healthy__echo\? .+\n {2}text: "x+" \[… \d+ of 5011 characters not shown …\] "x+\\u202e; rm -rf \/"$/,
    )
  })

  test('that returns an empty form has not approved', async () => {
    const prepare = (client: Client): void =>
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }))
    await using gateway = await startGateway(home, { ...canFill, prepare })
    const denied = await call(gateway, 'mcp__healthy__echo', { params: { text: 'a' } })
    expect(denied).toMatchObject({ isError: true, code: 'DENIED' })
    expect(denied.text).toContain('the client returned the form without an answer')
  })

  test('can decline, and then nothing runs', async () => {
    const before = recorded(home, 'tools/call', 'healthy').length
    await using gateway = await startGateway(home, { ...canFill, prepare: answering(null).prepare })
    const denied = await call(gateway, 'mcp__healthy__echo', { params: { text: 'a' } })
    expect(denied).toMatchObject({ isError: true, code: 'DENIED' })
    expect(recorded(home, 'tools/call', 'healthy')).toHaveLength(before)
  })

  test('without elicitation gets a hint how to allow a call; deny rules apply; without a rule a call runs', async () => {
    await using gateway = await startGateway(home, options)
    const unasked = await call(gateway, 'mcp__healthy__echo', { params: { text: 'a' } })
    expect(unasked).toMatchObject({ isError: true, code: 'DENIED' })
    expect(unasked.text).toMatch(/remove that rule from approval\.rules\.ask in config\.json/)
    expect(await call(gateway, 'mcp__healthy__fine')).toMatchObject({ isError: true, code: 'DENIED' })
    expect((await call(gateway, 'mcp__hostile__echo', { params: { text: 'runs' } })).text).toBe('runs')
  })

  test('without URL elicitation gets the missing secret and the command that stores it', async () => {
    await using gateway = await startGateway(home, canFill)
    const missing = await call(gateway, 'script_keyed')
    expect(missing).toMatchObject({ isError: true, code: 'CREDENTIAL_REQUIRED' })
    expect(missing.text).toMatch(/curfew secret set TEST_KEY/)
  })
})

test('a secret is entered on a local page and reaches only the tool', async () => {
  const urls: string[] = []
  await using gateway = await startGateway(home, {
    capabilities: { elicitation: { url: {} } },
    prepare(client) {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const { url } = params as { url: string }
        urls.push(url)
        const body = new URLSearchParams({ secret: key, action: 'save' })
        const answer = await fetch(url, { method: 'POST', body, headers: { Origin: new URL(url).origin } })
        expect(answer.status).toBe(200)
        return { action: 'accept' }
      })
    },
  })
  const ended = await call(gateway, 'script_keyed')
  expect(ended).toMatchObject({ isError: false, text: 'the key is [secret TEST_KEY]' })
  expect(urls).toHaveLength(1)
  expect(new URL(urls[0]!).hostname).toBe('127.0.0.1')
  expect((await call(gateway, 'script_keyed')).isError).toBe(false)
  expect(urls).toHaveLength(1)
  expect(gateway.stderr()).not.toContain(key)
  expect(await readFile(join(home.folder, '.config', 'curfew', 'secrets.json'), 'utf8')).not.toContain(key)
})
