import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ending, runCurfew, startCurfew } from './run-curfew.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

let home: string
let env: Record<string, string>

beforeAll(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-'))
  env = { HOME: home, XDG_CONFIG_HOME: '', CURFEW_TRUST: '', CURFEW_MCP_TOKEN: '' }
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs the gateway until its standard error matches, and returns that. */
async function printed(args: readonly string[], until: RegExp, more: object = {}): Promise<string> {
  const child = startCurfew(['mcp', ...args], { ...env, ...more }, home)
  const ended = ending(child)
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text += chunk
    if (until.test(text)) child.kill('SIGTERM')
  })
  const { code, stdout } = await ended
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  return text
}

it.runIf(hasTerminal)('explains itself on a terminal', async () => {
  const { stdout, code } = await runInTerminal(['mcp'], env, home, [
    [/Ctrl-C stops it/, async (type) => type('\x03')],
  ])
  expect(stdout).toContain('that an agent starts')
  expect(code).toBe(0)
})

it('prints the URL and the header that clients must send', async () => {
  const text = await printed(['--http', '--port', '0'], /Bearer .+\n/)
  expect(text).toMatch(
    /^curfew mcp: listening on http:\/\/127\.0\.0\.1:\d+\/mcp\n.+:\n {2}Authorization: Bearer \S{32}\n$/,
  )
})

it('does not print the token in CURFEW_MCP_TOKEN', async () => {
  const text = await printed(['--http', '--port', '0'], /CURFEW_MCP_TOKEN/, { CURFEW_MCP_TOKEN: 'my-token' })
  expect(text).toMatch(/^curfew mcp: listening .+\ncurfew mcp: clients must send the token .+\n$/)
  expect(text).not.toContain('my-token')
})

it('warns when other machines can connect, and requires a token', async () => {
  expect(await printed(['--http', '--port', '0', '--host', '0.0.0.0'], /Bearer .+\n/)).toContain(
    'other machines can connect',
  )
  const open = await runCurfew(['mcp', '--http', '--no-token', '--host', '0.0.0.0'], env, home)
  expect(open.code).toBe(2)
  expect(open.stderr).toMatch(/^curfew mcp: --no-token requires a loopback address/)
})

it('reports a port that is in use', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const ended = await runCurfew(['mcp', '--http', '--port', `${port}`], env, home)
  other.close()
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `curfew mcp: port ${port} of 127.0.0.1 is in use; choose another one, or 0 for any free port\n`,
  })
})
