import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { curfew, type Home } from './helpers/gateway.ts'
import { inspector, thirdPartyHome } from './helpers/third-party.ts'

const run = promisify(execFile)
const token = 'a-token-that-only-this-test-knows'
let home: Home

/** The inspector restarts itself with the `node` on the PATH, and finds its package only from its own folder. */
async function inspect(
  target: readonly string[],
  options: readonly string[],
): Promise<Record<string, unknown>> {
  const env = { ...home.env, PATH: `${dirname(process.execPath)}:${home.env.PATH}` }
  const { stdout } = await run(process.execPath, [inspector, '--cli', ...target, ...options], {
    env,
    cwd: dirname(inspector),
  })
  return JSON.parse(stdout)
}

const list = ['--method', 'tools/list']
const sum = [
  '--method',
  'tools/call',
  '--tool-name',
  'mcp__everything__get-sum',
  '--tool-arg',
  'a=2',
  '--tool-arg',
  'b=40',
]

beforeAll(async () => {
  home = await thirdPartyHome()
})

afterAll(async () => {
  await untilNoneLeft(home.tag).finally(() => home[Symbol.asyncDispose]())
})

async function listAndCall(target: readonly string[], options: readonly string[] = []): Promise<void> {
  const { tools } = (await inspect(target, [...options, ...list])) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'mcp__everything__echo',
      'mcp__filesystem__read_text_file',
      'mcp__memory__read_graph',
    ]),
  )
  expect(JSON.stringify(await inspect(target, [...options, ...sum]))).toContain('42')
}

describe('the inspector as a client', () => {
  test('over stdio', async () => {
    await listAndCall([process.execPath, curfew, 'mcp'])
  })

  test('over HTTP, with the token', async () => {
    const env = { ...home.env, CURFEW_MCP_TOKEN: token }
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    const gateway = spawn(process.execPath, [curfew, 'mcp', '--http', '--port', '0'], {
      env,
      cwd: home.folder,
      stdio: [...stdio],
    })
    try {
      let printed = ''
      gateway.stderr?.on('data', (chunk) => {
        printed += chunk
      })
      const url = /http:\/\/127\.0\.0\.1:\d+\S*/
      await until(() => url.test(printed) || gateway.exitCode !== null, 10_000)
      const target = [url.exec(printed)?.[0] ?? `no URL in: ${printed}`]
      expect(printed).not.toContain(token)
      const options = ['--transport', 'http', '--header']
      await listAndCall(target, [...options, `Authorization: Bearer ${token}`])
      await expect(inspect(target, [...options, 'Authorization: Bearer wrong', ...list])).rejects.toThrow(
        'Send the token that this server was started with',
      )
    } finally {
      gateway.kill('SIGTERM')
      if (gateway.exitCode === null) await once(gateway, 'exit')
    }
  })
})
