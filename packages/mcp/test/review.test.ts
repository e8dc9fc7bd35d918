import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ReviewedTool, rules } from '@curfew/core/review'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'
import { searchTool } from '../src/gateway/search-tools.ts'

const require = createRequire(import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'curfew-review-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const nothing = {
  title: undefined,
  description: undefined,
  usage: undefined,
  outputSchema: undefined,
  annotations: undefined,
  own: undefined,
  place: undefined,
  suppressions: [],
}

test('the tool that the gateway adds is clean', () => {
  const { schema, ...tool } = searchTool(() => [])
  const reviewed: ReviewedTool = { ...nothing, ...tool, inputSchema: schema.jsonSchema, own: tool }
  expect(rules.flatMap((rule) => rule.check(reviewed, [reviewed]))).toEqual([])
})

test('docs/review-findings.md has what is found in the reference servers', async () => {
  const servers = ['everything', 'filesystem', 'memory', 'sequential-thinking']
  const counts = await Promise.all(servers.map(async (server) => countFindings(await toolsOf(server))))
  const found = new Map<string, number[]>()
  for (const { id } of rules) {
    const row = counts.map((count) => count.get(id) ?? 0)
    if (id !== 'annotation-contradiction' && row.some((number) => number > 0)) found.set(id, row)
  }
  const docs = readFileSync(new URL('../../../docs/review-findings.md', import.meta.url), 'utf8')
  const rows = [...docs.matchAll(/^\| `([a-z-]+)` +\|((?: +\d+ +\|){4})$/gm)]
  const written = new Map(rows.map(([, id, row]) => [id!, row!.match(/\d+/g)!.map(Number)]))
  expect(written).toEqual(found)
})

async function toolsOf(server: string): Promise<ReviewedTool[]> {
  const file = require.resolve(`@modelcontextprotocol/server-${server}/package.json`)
  const [program = ''] = Object.values((require(file) as { bin: Record<string, string> }).bin)
  const client = new Client({ name: 'review', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(dirname(file), program), ...(server === 'filesystem' ? [folder] : [])],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      stderr: 'ignore',
    }),
  )
  try {
    const { tools } = await client.listTools()
    return tools.map((tool) => ({ ...nothing, ...tool }) as unknown as ReviewedTool)
  } finally {
    await client.close()
  }
}

function countFindings(tools: readonly ReviewedTool[]): Map<string, number> {
  const count = new Map<string, number>()
  for (const finding of tools.flatMap((tool) => rules.flatMap((rule) => rule.check(tool, tools)))) {
    count.set(finding.rule, (count.get(finding.rule) ?? 0) + 1)
  }
  return count
}
