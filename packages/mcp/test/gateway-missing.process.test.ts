import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, type Home, startGateway } from './helpers/gateway.ts'
import { call } from './helpers/hostile.ts'

const key = 'a-secret-key'
const babble = "console.error('wrong key: ' + process.env.KEY); process.exit(1)"
/** Prints more after the cause than is kept. */
const chatter = `try { require('./no-such-module') } catch (error) { console.error(error) }
for (let i = 0; i < 99; i++) console.error('one more part ended as it should')
process.exit(1)`

let home: Home
beforeAll(async () => {
  home = await createHome(() => ({
    missing: { command: 'no-such-program-at-all' },
    nowhere: { command: process.execPath, cwd: '/no/such/folder' },
    locked: { command: process.execPath, env: { KEY: 'secret:NEVER_STORED' } },
    chatty: { command: process.execPath, args: ['-e', chatter] },
    babbler: { command: process.execPath, args: ['-e', babble], env: { KEY: 'secret:BABBLED' } },
  }))
  home.env.BABBLED = key
})
afterAll(() => home[Symbol.asyncDispose]())

test("a call of an unavailable server's tool reports the reason, without mentioning other servers", async () => {
  await using gateway = await startGateway(home)
  const reasons = {
    missing: 'could not be started: program not found on the PATH: no-such-program-at-all',
    nowhere: 'could not be started: the working directory does not exist: /no/such/folder',
    babbler: 'could not be started: it exited with code 1; stderr: wrong key: [secret BABBLED]',
  }
  for (const [server, text] of Object.entries(reasons)) {
    const tool = `mcp__${server}__x`
    await expect(call(gateway, tool)).rejects.toThrow(
      new RegExp(`unknown tool "${tool}"; the MCP server ${server} ${escaped(text)}$`),
    )
    // Logged once, however often it is requested.
    expect(gateway.stderr().split(text)).toHaveLength(2)
  }
  expect(gateway.stderr()).not.toContain(key)
})

test('the reason of a failed start is in the error and in the log, regardless of later output', async () => {
  await using gateway = await startGateway(home)
  const cause =
    /code 1; stderr: Error: Cannot find module '\.\/no-such-module'\s.*\.\.\.\s.*ended as it should/s
  await expect(call(gateway, 'mcp__chatty__x')).rejects.toThrow(cause)
  expect(gateway.stderr()).toMatch(cause)
})

test('a call of a tool that could not be loaded names the file and the problem', async () => {
  const folder = join(home.folder, '.config', 'curfew', 'extensions', 'scripts', 'broken')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'tool.json'), '{"description": 7}')
  await using gateway = await startGateway(home)
  await expect(call(gateway, 'script_broken')).rejects.toThrow(
    `unknown tool "script_broken"; it could not be loaded: ${folder}/tool.json: description: must be string`,
  )
  await expect(call(gateway, 'script_brken')).rejects.toThrow(/did you mean "script_broken"\?$/)
})

test('a client without elicitation gets the command that stores a missing key', async () => {
  await using gateway = await startGateway(home)
  const command = 'curfew secret set NEVER_STORED --for mcp__locked'
  await expect(call(gateway, 'mcp__locked__x')).rejects.toThrow(
    `the MCP server locked requires the secret NEVER_STORED; nobody is available to answer. A person can store it: ${command}`,
  )
  expect(gateway.stderr().split(command)).toHaveLength(2)
})

test('a call of an unknown tool suggests a similar name or the list', async () => {
  await using gateway = await startGateway(home, { args: ['--builtins'] })
  await expect(call(gateway, 'tmeout')).rejects.toThrow(/unknown tool "tmeout"; did you mean "timeout"\?$/)
  await expect(call(gateway, 'frobnicate')).rejects.toThrow(
    /see tools\/list; the tools of these MCP servers are not known yet: missing, nowhere, locked, chatty, babbler$/,
  )
})

test('in the stub view, a call of an unknown tool suggests search_tools', async () => {
  await using gateway = await startGateway(home, { args: ['--view', 'stub'] })
  await expect(call(gateway, 'frobnicate')).rejects.toThrow(/search_tools/)
  const found = await call(gateway, 'search_tools', { params: { query: 'frobnicate' } })
  expect(found.text).toContain('No matches.')
})

function escaped(text: string): string {
  return text.replace(/[[\]]/g, '\\$&')
}
