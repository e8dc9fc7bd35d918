import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ConfigRoots } from './config-roots.ts'
import { loadConfig } from './load-config.ts'
import { type ReloadedRules, RulesReload } from './rules-reload.ts'
import { type ApprovedContent, contentHash, nothingApproved } from './trusted-files.ts'

interface Rules {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

const config = (rules: Rules, rest: object = {}): object => ({ approval: { rules, ...rest } })

/** Starts with these files, in a trusted project. */
async function setUp(user: object, project: object) {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-rules-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = { user: join(folder, 'curfew/config.json'), project: join(folder, '.curfew/config.json') }
  mkdirSync(join(folder, 'curfew'))
  mkdirSync(join(folder, '.curfew'))
  const write = (which: keyof typeof files, content: object | string): void =>
    writeFileSync(files[which], typeof content === 'string' ? content : JSON.stringify(content))
  write('user', user)
  write('project', project)
  const loaded = await loadConfig({ cwd: folder, env: { XDG_CONFIG_HOME: folder, CURFEW_TRUST: '1' } })
  expect(loaded.problems).toEqual([])
  const reload = new RulesReload(loaded, nothingApproved)
  const next = (
    approved: ApprovedContent = nothingApproved,
    roots: ConfigRoots = loaded.roots,
  ): Promise<ReloadedRules> => reload.next(roots, approved)
  return { write, next, roots: loaded.roots }
}

const approve = (content: object): ApprovedContent => ({
  servers: new Map(),
  config: { hash: contentHash(content), approvedAt: '2026-01-01T00:00:00.000Z' },
})

test('a project can make the rules stricter, and looser only with approval', async () => {
  const start = config({ allow: ['a', 'b'], ask: ['c'], deny: ['d'] })
  const { write, next } = await setUp(config({ allow: ['u'] }), start)
  expect(await next()).toMatchObject({
    rules: { allow: ['u', 'a', 'b'], ask: ['c'], deny: ['d'] },
    pending: [],
  })
  const changed = config({ allow: ['b', 'x'], ask: ['y'], deny: ['z'] })
  write('project', changed)
  expect(await next()).toMatchObject({
    rules: { allow: ['u', 'b'], ask: ['c', 'y'], deny: ['d', 'z'] },
    pending: ['allow x', 'deny d is removed', 'ask c is removed'],
  })
  const approved = approve(changed)
  expect(await next(approved)).toMatchObject({
    rules: { allow: ['u', 'b', 'x'], ask: ['y'], deny: ['z'] },
    pending: [],
  })
  // The approval is for that content.
  write('project', config({ allow: ['b', 'x', 'more'] }))
  expect(await next(approved)).toMatchObject({ rules: { allow: ['u', 'b', 'x'], deny: ['z'] } })
})

test('under the default deny, a project cannot add a question either', async () => {
  const { write, next } = await setUp(config({}, { default: 'deny' }), {})
  write('project', config({ ask: ['x'] }))
  expect(await next()).toMatchObject({ rules: { ask: [] }, pending: [], needRestart: ['approval'] })
})

test("the user's new default deny does not drop a project's question before it is in effect", async () => {
  const { write, next } = await setUp({}, config({ ask: ['x'] }))
  write('user', config({}, { default: 'deny' }))
  expect(await next()).toMatchObject({ rules: { ask: ['x'] }, pending: [], needRestart: ['approval'] })
})

test('nor by removing its own default, which stays in effect until a restart', async () => {
  const { write, next } = await setUp({}, config({}, { default: 'deny' }))
  write('project', config({ ask: ['x'] }))
  expect(await next()).toMatchObject({ rules: { ask: [] }, pending: ['ask x'], needRestart: ['approval'] })
})

test("the user's rules are used as they are; other settings need a restart", async () => {
  const { write, next } = await setUp(config({ deny: ['a'] }), {})
  write('user', { ...config({ allow: ['b'] }), limits: { depth: 3 } })
  expect(await next()).toMatchObject({
    rules: { allow: ['b'], deny: [] },
    pending: [],
    needRestart: ['limits'],
  })
})

test('a broken file keeps its rules', async () => {
  const { write, next } = await setUp(config({ deny: ['a'] }), config({ deny: ['b'] }))
  write('user', '{ "approval": ')
  write('project', { approval: { rules: { deny: 7 } } })
  const broken = await next()
  expect(broken).toMatchObject({ rules: { deny: ['a', 'b'] }, pending: [] })
  expect(broken.problems.filter(({ severity }) => severity === 'error')).toHaveLength(2)
  write('user', {})
  expect(await next()).toMatchObject({ rules: { deny: ['b'] } })
})

test('without trust, the file of the project is not used', async () => {
  const { next, roots } = await setUp({}, config({ allow: ['a'], deny: ['b'] }))
  const untrusted = { ...roots, project: { ...roots.project!, trusted: false } }
  expect(await next(nothingApproved, untrusted)).toMatchObject({
    rules: { allow: [], deny: [] },
    pending: [],
  })
})
