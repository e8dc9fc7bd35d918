import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { thirdPartyHome } from './helpers/third-party.ts'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!)
const argsFor = (code: string): string[] => ['--input-type=module-typescript', '-e', code]

test('the examples in the README run', async () => {
  expect(programs).toHaveLength(2)
  const [direct, gateway] = programs as [string, string]
  await using home = await thirdPartyHome()
  const options = { cwd, env: home.env }
  const { stdout } = await promisify(execFile)(process.execPath, argsFor(direct), options)
  expect(stdout).toMatch(/status: 'success'/)

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: argsFor(gateway),
    ...options,
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  const result = await client.callTool({ name: 'mcp__memory__read_graph' })
  expect(result.isError).not.toBe(true)
  await client.close()
})
