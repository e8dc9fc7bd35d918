import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rules } from '@curfew/review'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ReviewHome } from './review-support.ts'
import { runCurfew } from './run-curfew.ts'

let home: ReviewHome

beforeAll(() => {
  home = new ReviewHome(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-')))
})

afterAll(() => rmSync(home.path, { recursive: true, force: true }))

interface Reviewed {
  readonly tools: readonly {
    readonly name: string
    readonly grade: string
    readonly findings: readonly unknown[]
  }[]
  readonly server: { readonly grade: string } | null
}

it('built-in tools have no findings and grade A', async () => {
  const { code, stdout } = await home.review('--json', '--fail-on', 'note,grade:A')
  const { tools, server } = JSON.parse(stdout) as Reviewed
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['timeout', 'sleep', 'nice', 'store_secret']),
  )
  expect(tools.filter(({ grade, findings }) => grade !== 'A' || findings.length > 0)).toEqual([])
  expect(server?.grade).toBe('A')
  expect(code).toBe(0)
})

it('built-in tools have grade A over MCP in the full view', async () => {
  const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
  const { stdout } = await home.review(
    '--mcp',
    `"${process.execPath}" "${bin}" mcp --builtins --view full`,
    '--json',
  )
  const { tools } = JSON.parse(stdout) as Reviewed
  expect(tools.length).toBeGreaterThan(3)
  expect(tools.filter(({ grade }) => grade !== 'A')).toEqual([])
})

it('docs/review.md lists every rule with its severities and summary', () => {
  const page = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8')
  const rows = /^\| `([a-z-]+)` \| (error|warning|note) \| (error|warning|note) \| ([^.]*\.)/gm
  const listed = [...page.matchAll(rows)].map(([, ...row]) => row)
  expect(listed).toEqual(
    rules.map(({ id, severity, publishedSeverity, summary }) => [id, severity, publishedSeverity, summary]),
  )
})

it('tools created by curfew new have no findings', async () => {
  for (const kind of ['script', 'api']) {
    const created = await runCurfew(['new', kind, 'get_weather'], home.environment, home.path)
    expect(created).toMatchObject({ code: 0, stderr: '' })
  }
  const { stdout } = await home.review('--json')
  const { tools } = JSON.parse(stdout) as Reviewed
  const created = tools.filter(({ name }) => /^(script|api)_/.test(name))
  expect(created).toHaveLength(2)
  expect(created.flatMap(({ name, findings }) => findings.map((finding) => [name, finding]))).toEqual([])
})
