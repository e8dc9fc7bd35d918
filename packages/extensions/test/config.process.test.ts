import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '@curfew/core'
import { type Config, type Extensions, formatProblem, loadConfig, loadExtensions } from '@curfew/extensions'
import { approvalsSchema, configSchema, scriptSchema } from '@curfew/extensions/internal'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let home: string
let project: string

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-'))
  project = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-project-'))
})

afterEach(() => {
  for (const folder of [home, project]) rmSync(folder, { recursive: true, force: true })
})

const userRoot = (): string => join(home, '.config', 'curfew')
const projectRoot = (): string => join(project, '.curfew')
const context = (env: Record<string, string> = {}) => ({
  cwd: project,
  env: { HOME: home, CURFEW_TRUST: '1', ...env },
})
const load = (env: Record<string, string> = {}, ...flags: string[]): Promise<Config> =>
  loadConfig(context(env), flags)
const extensions = (env: Record<string, string> = {}): Promise<Extensions> => loadExtensions(context(env))

function config(root: string, content: unknown): string {
  mkdirSync(root, { recursive: true })
  const file = join(root, 'config.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

function script(root: string, name: string, definition: object): void {
  const folder = join(root, 'extensions', 'scripts', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tool.json'), JSON.stringify({ description: 'Say ok.', ...definition }))
  writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\necho ok\n')
  chmodSync(join(folder, 'script.sh'), 0o755)
}

test('without any configuration, the defaults apply', async () => {
  const { options, settings, problems } = await load()
  const stores = {
    remember: expect.any(Function),
    forget: expect.any(Function),
    isRemembered: expect.any(Function),
  }
  expect(options).toEqual({ approval: { rules: {}, ...stores } })
  expect(problems).toEqual([])
  expect(new Set(settings.map(({ source }) => source))).toEqual(new Set(['default']))
})

test('user < project < environment < flags, each with its source', async () => {
  const user = config(userRoot(), { grace: 5, heartbeat: 1, concurrency: 1, view: 'stub' })
  const projectFile = config(projectRoot(), { grace: 2, heartbeat: 2, concurrency: 2 })
  const { options, settings } = await load({ CURFEW_GRACE: '3', CURFEW_HEARTBEAT: '3' }, 'grace=4ms')
  expect(options).toMatchObject({ grace: 4, heartbeat: 3, concurrency: 2, view: 'stub' })
  const of = (key: string) => settings.find((setting) => setting.key === key)
  expect(of('grace')).toMatchObject({ value: 4, source: 'flag' })
  expect(of('heartbeat')).toMatchObject({ value: 3, source: 'environment', variable: 'CURFEW_HEARTBEAT' })
  expect(of('concurrency')).toMatchObject({ value: 2, source: 'project', file: projectFile })
  expect(of('view')).toMatchObject({ value: 'stub', source: 'user', file: user })
  expect(of('maxContentLength')).toMatchObject({ value: 65_536, source: 'default' })
})

test('an untrusted project is ignored and reported once', async () => {
  config(projectRoot(), { grace: 2 })
  const untrusted = await load({ CURFEW_TRUST: '' })
  expect(untrusted.options.grace).toBeUndefined()
  expect(untrusted.problems.map(formatProblem)).toEqual([expect.stringMatching(/is ignored.+curfew trust/)])
  expect((await extensions({ CURFEW_TRUST: '' })).problems).toHaveLength(1)
})

test('paths are relative to their file, or to the working directory', async () => {
  config(userRoot(), { spillDirectory: 'spill' })
  expect((await load()).options.spillDirectory).toBe(join(userRoot(), 'spill'))
  config(projectRoot(), { spillDirectory: '../spill' })
  expect((await load()).options.spillDirectory).toBe(join(project, 'spill'))
  expect((await load({ CURFEW_SPILL_DIRECTORY: 'x' })).options.spillDirectory).toBe(join(project, 'x'))
  expect((await load({}, 'spillDirectory=/var/x')).options.spillDirectory).toBe('/var/x')
})

test('an unreadable file does not affect the other', async () => {
  mkdirSync(join(userRoot(), 'config.json'), { recursive: true })
  config(projectRoot(), { grace: 2 })
  const { options, problems } = await load()
  expect(options.grace).toBe(2)
  expect(problems).toMatchObject([{ file: join(userRoot(), 'config.json'), message: 'is not a file' }])
})

test('comments and trailing commas are allowed, and duplicate keys are reported', async () => {
  const file = config(
    userRoot(),
    '\uFEFF// mine\n{\n  "grace": 1, /* again: */\n  "limits": { "depth": 3, "depth": 4, },\n}\n',
  )
  const { options, problems } = await load()
  expect(options).toMatchObject({ grace: 1, limits: { depth: 4 } })
  const message = 'line 4, column 27: duplicate key; only the last one is used'
  expect(problems).toEqual([{ severity: 'warning', file, field: 'limits.depth', message }])
  script(userRoot(), 'commented', {})
  const tool = join(userRoot(), 'extensions/scripts/commented/tool.json')
  writeFileSync(tool, '{\n  // What it does\n  "description": "Say ok.",\n}')
  expect((await extensions()).tools.map(({ file }) => file)).toEqual([tool])
})

test('an error contains the line and column', async () => {
  const file = config(userRoot(), '{\n  "grace": 1\n  "view": "full"\n}')
  const message = 'is not JSON: line 3, column 3: expected a comma, got "view"'
  expect((await load()).problems).toEqual([{ severity: 'error', file, field: null, message }])
})

describe('a project cannot loosen the settings of the user', () => {
  const run = async (): Promise<unknown[]> => {
    const { tools, options } = await extensions()
    const runtime = createRuntime({ ...options, log: () => {} })
    runtime.register(tools.map(({ tool }) => tool))
    const results = await runtime.execute(tools.map(({ tool: { name } }) => ({ id: name, name, params: {} })))
    await runtime.close()
    return results.map((result) => [
      result.name,
      result.status === 'success' ? result.status : (result as { code: string }).code,
    ])
  }

  test('the rules of both are combined: deny > ask > allow', async () => {
    script(userRoot(), 'one', {})
    script(userRoot(), 'two', {})
    config(userRoot(), { approval: { rules: { deny: ['script_one'] } } })
    config(projectRoot(), { approval: { rules: { allow: ['script_*'] } } })
    expect(await run()).toEqual([
      ['script_one', 'DENIED'],
      ['script_two', 'success'],
    ])
  })

  test('readOnly in a tool.json is ignored if the default is "deny", unless the user sets it', async () => {
    script(userRoot(), 'mine', { readOnly: true })
    script(projectRoot(), 'theirs', { readOnly: true })
    const open = [
      ['script_mine', 'success'],
      ['script_theirs', 'success'],
    ]
    expect(await run()).toEqual(open)
    config(userRoot(), { approval: 'deny' })
    expect(await run()).toEqual([
      ['script_mine', 'success'],
      ['script_theirs', 'DENIED'],
    ])
    const file = join(projectRoot(), 'extensions/scripts/theirs/tool.json')
    expect((await extensions()).problems).toMatchObject([{ severity: 'warning', file, field: 'readOnly' }])
    config(userRoot(), { approval: 'deny', tools: { 'script_*': { readOnly: true } } })
    expect(await run()).toEqual(open)
  })

  test("settings for tools apply, a project's only if they are stricter, and the rest of its file loads", async () => {
    for (const name of ['one', 'two']) script(userRoot(), name, {})
    config(userRoot(), { tools: { 'script_*': { approval: 'allow', timeout: '9s' } } })
    const file = config(projectRoot(), {
      tools: {
        script_one: { approval: 'ask', timeout: '4s', readOnly: true },
        script_two: { approval: 'allow', concurrent: true, resources: [] },
      },
      concurrency: 3,
    })
    expect(await run()).toEqual([
      ['script_one', 'DENIED'],
      ['script_two', 'success'],
    ])
    const { options, problems } = await extensions()
    expect(options).toMatchObject({ concurrency: 3 })
    expect(options.tools).toEqual({
      'script_*': { approval: 'allow', timeout: 9_000 },
      script_one: { timeout: 4_000 },
      script_two: { resources: [] },
    })
    expect(problems).toMatchObject([
      { severity: 'warning', file, field: 'tools.script_one.readOnly' },
      { severity: 'warning', file, field: 'tools.script_two.approval' },
      { severity: 'warning', file, field: 'tools.script_two.concurrent' },
    ])
  })

  test('always_allow and allow rules are ignored if the default is "deny"', async () => {
    script(userRoot(), 'mine', { always_allow: true })
    script(projectRoot(), 'theirs', { always_allow: true })
    script(projectRoot(), 'ruled', {})
    config(projectRoot(), { approval: { rules: { allow: ['script_ruled'] } } })
    const open = [
      ['script_mine', 'success'],
      ['script_ruled', 'success'],
      ['script_theirs', 'success'],
    ]
    expect(await run()).toEqual(open)
    config(userRoot(), { approval: 'ask' })
    expect(await run()).toEqual(open)
    config(userRoot(), { approval: 'deny' })
    expect(await run()).toEqual([
      ['script_mine', 'success'],
      ['script_ruled', 'DENIED'],
      ['script_theirs', 'DENIED'],
    ])
    const { allow, problems } = await extensions()
    expect(allow).toEqual(['script_mine'])
    expect(problems).toMatchObject([
      { severity: 'warning', file: join(projectRoot(), 'config.json'), field: 'approval.rules.allow' },
      {
        severity: 'warning',
        file: join(projectRoot(), 'extensions/scripts/theirs/tool.json'),
        field: 'always_allow',
      },
    ])
  })

  test('its default is used only if it is stricter', async () => {
    script(userRoot(), 'one', {})
    config(projectRoot(), { approval: 'allow' })
    expect(await run()).toEqual([['script_one', 'DENIED']])
    config(userRoot(), { approval: 'allow' })
    expect(await run()).toEqual([['script_one', 'success']])
    config(projectRoot(), { approval: 'deny' })
    expect(await run()).toEqual([['script_one', 'DENIED']])
  })

  test('its maxToolCallTimeout is used only if it is lower', async () => {
    config(userRoot(), { maxToolCallTimeout: '5m' })
    const projectFile = config(projectRoot(), { maxToolCallTimeout: '1h' })
    const { options, problems } = await load()
    expect(options.maxToolCallTimeout).toBe(300_000)
    expect(problems).toMatchObject([{ severity: 'warning', file: projectFile, field: 'maxToolCallTimeout' }])
    config(projectRoot(), { maxToolCallTimeout: '1m' })
    expect((await load()).options.maxToolCallTimeout).toBe(60_000)
  })
})

test('the published schemas are the ones that files are validated against', () => {
  const require = createRequire(import.meta.url)
  for (const [name, schema] of Object.entries({
    approvals: approvalsSchema,
    config: configSchema,
    script: scriptSchema,
  })) {
    const file = require.resolve(`@curfew/extensions/schemas/${name}.schema.json`)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema)
  }
})
