import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Ours first: what we ask of others holds for what we ship. */
it('every tool that Curfew brings along is clean and an A', async () => {
  const { code, stdout } = await home.review('--json', '--fail-on', 'note,grade:A')
  const { tools, server } = JSON.parse(stdout) as Reviewed
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['timeout', 'sleep', 'nice', 'store_secret']),
  )
  expect(tools.filter(({ grade, findings }) => grade !== 'A' || findings.length > 0)).toEqual([])
  expect(server?.grade).toBe('A')
  expect(code).toBe(0)
})

it('and so it is as an agent meets them over MCP, in full', async () => {
  const bin = new URL('../bin/curfew.cjs', import.meta.url).pathname
  const { stdout } = await home.review(
    '--mcp',
    `"${process.execPath}" "${bin}" mcp --builtins --view full`,
    '--json',
  )
  const { tools } = JSON.parse(stdout) as Reviewed
  expect(tools.length).toBeGreaterThan(3)
  expect(tools.filter(({ grade }) => grade !== 'A')).toEqual([])
})

it('the page about it lists every rule, with its severity', () => {
  const page = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (error|warning|note) \|/gm)].map(
    ([, id, severity]) => [id, severity],
  )
  expect(listed).toEqual(rules.map(({ id, severity }) => [id, severity]))
})

it('what curfew new writes is clean to begin with', async () => {
  for (const kind of ['script', 'api']) {
    const made = await runCurfew(['new', kind, 'get_weather'], home.environment, home.path)
    expect(made).toMatchObject({ code: 0, stderr: '' })
  }
  const { stdout } = await home.review('--json')
  const { tools } = JSON.parse(stdout) as Reviewed
  const mine = tools.filter(({ name }) => /^(script|api)_/.test(name))
  expect(mine).toHaveLength(2)
  expect(mine.flatMap(({ name, findings }) => findings.map((finding) => [name, finding]))).toEqual([])
})
