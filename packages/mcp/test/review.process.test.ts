import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fromDefinition, fromTool, type ReviewedTool, reviewTools, rules } from '@curfew/review'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'
import { unattendedBridge } from '../src/client/connection/client-bridge.ts'
import { searchTool } from '../src/gateway/search-tools.ts'

const require = createRequire(import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'curfew-review-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("the gateway's own tool has no findings and the grade A", () => {
  const [review] = reviewTools([fromTool(searchTool(() => []))]).tools
  expect(review, JSON.stringify(review, null, 1)).toMatchObject({
    grade: 'A',
    findings: [],
    score: { smells: [] },
  })
})

test('docs/review-findings.md lists the findings in the reference servers', async () => {
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
  // The capabilities that `curfew review --mcp` declares: a server may list more tools because of them.
  const client = new Client(
    { name: 'review', version: '1.0.0' },
    { capabilities: unattendedBridge.capabilities },
  )
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
    return tools.map((tool) => fromDefinition(tool))
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
