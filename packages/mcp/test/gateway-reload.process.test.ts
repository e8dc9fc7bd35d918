import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { left, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { createHome, curfew, type Gateway, type Home, startGateway } from './helpers/gateway.ts'
import { call } from './helpers/hostile.ts'
import { labelledServer as program } from './helpers/server-stage.ts'
import { toolNames } from './helpers/stage.ts'

function server(label: string, ...extraTools: readonly string[]): Record<string, unknown> {
  return { command: process.execPath, args: [program, label, ...extraTools], env: { TEST_TAG: '$TEST_TAG' } }
}

type Servers = Readonly<Record<string, object>>

interface Stage {
  readonly home: Home
  /** How often the client was notified of a changed list of tools. */
  readonly gateway: Gateway
  readonly notified: () => number
  /** Writes the user's file, as an editor does: a new file replaces the old one. */
  writeUser(servers: Servers | string): Promise<void>
  writeProject(servers: Servers | string): Promise<void>
  writeConfig(folder: 'user' | 'project', config: object): Promise<void>
  /** Runs a command in the project. */
  curfew(...args: readonly string[]): Promise<string>
  runIn(folder: string, ...args: readonly string[]): Promise<string>
  /** Waits until it has logged this, after what was waited for before. */
  logged(text: string): Promise<void>
}

interface Start {
  readonly user?: Servers
  readonly project?: Servers
  readonly config?: object
  /** @default true */
  readonly trusted?: boolean
}

async function setUp({ user = {}, project, config, trusted = true }: Start): Promise<Stage> {
  const home = await createHome(() => user)
  onTestFinished(() => home[Symbol.asyncDispose]())
  const roots = { user: join(home.folder, '.config', 'curfew'), project: join(home.folder, '.curfew') }
  const replace = async (file: string, content: object | string): Promise<void> => {
    await writeFile(`${file}.new`, typeof content === 'string' ? content : JSON.stringify(content))
    await rename(`${file}.new`, file)
  }
  const mcpJson = (servers: Servers | string): object | string =>
    typeof servers === 'string' ? servers : { mcpServers: servers }
  const runIn = async (cwd: string, ...args: readonly string[]): Promise<string> => {
    const options = { env: home.env, cwd }
    return (await promisify(execFile)(process.execPath, [curfew, ...args], options)).stdout
  }
  if (project !== undefined || config !== undefined) await mkdir(roots.project)
  if (project !== undefined) await replace(join(roots.project, 'mcp.json'), mcpJson(project))
  if (config !== undefined) await replace(join(roots.project, 'config.json'), config)
  if ((project !== undefined || config !== undefined) && trusted) await runIn(home.folder, 'trust')
  let notified = 0
  let readUntil = 0
  const gateway = await startGateway(home, {
    prepare: (client) =>
      client.setNotificationHandler('notifications/tools/list_changed', () => void notified++),
  })
  onTestFinished(async () => {
    await gateway.close()
    await untilNoneLeft(home.tag)
  })
  return {
    home,
    gateway,
    notified: () => notified,
    writeUser: (servers) => replace(join(roots.user, 'mcp.json'), mcpJson(servers)),
    writeProject: (servers) => replace(join(roots.project, 'mcp.json'), mcpJson(servers)),
    writeConfig: (folder, config) => replace(join(roots[folder], 'config.json'), config),
    curfew: (...args) => runIn(home.folder, ...args),
    runIn,
    logged: async (text) => {
      const find = (): number => gateway.stderr().indexOf(text, readUntil)
      await until(() => find() >= 0).catch(() => {
        throw new Error(`expected ${text} after character ${readUntil} of:\n${gateway.stderr()}`)
      })
      readUntil = find() + text.length
    },
  }
}

const who = async (gateway: Gateway, name: string): Promise<string> =>
  (await call(gateway, `mcp__${name}__who`)).text

test("a server that is added to the user's file is announced and can be called; a removed one is gone", async () => {
  const { gateway, notified, writeUser, logged } = await setUp({ user: { a: server('one') } })
  const before = await who(gateway, 'a')
  const seen = notified()
  await writeUser({ a: server('one'), b: server('two') })
  await until(() => notified() > seen)
  expect(await who(gateway, 'b')).toMatch(/^two /)
  expect(await who(gateway, 'a')).toBe(before)
  await writeUser({ a: server('one') })
  await logged('removed b')
  expect(await toolNames(gateway)).not.toContain('mcp__b__who')
})

test('a call that runs on a changed server completes; a broken file changes nothing', async () => {
  const { home, gateway, writeUser, logged } = await setUp({ user: { a: server('one') } })
  const before = await who(gateway, 'a')
  const file = join(home.folder, 'go')
  const held = call(gateway, 'mcp__a__hold', { params: { file } })
  await until(() => left(home.tag).length > 1)
  await writeUser({ a: server('two') })
  await logged('changed a')
  expect(await who(gateway, 'a')).toMatch(/^two /)
  await writeUser('{ "mcpServers": { "a": ')
  await logged('mcp.json: is not JSON')
  await writeUser({ a: { command: 7 }, b: server('three') })
  await logged('mcpServers.a.command')
  await logged('added b')
  expect(await who(gateway, 'a')).toMatch(/^two /)
  await writeFile(file, '')
  expect((await held).text).toBe(before)
  await writeUser({ a: server('four') })
  await logged('changed a; removed b')
  expect(await who(gateway, 'a')).toMatch(/^four /)
  expect(gateway.stderr().match(/is not JSON/g)).toHaveLength(1)
})

test('files that appear later are used', async () => {
  const { home, gateway, writeUser, logged } = await setUp({})
  await rm(join(home.folder, '.config', 'curfew', 'mcp.json'))
  await writeUser({ a: server('one') })
  await logged('added a')
  expect(await who(gateway, 'a')).toMatch(/^one /)
})

test("a new or changed server of a project's file is used only after curfew mcp approve", async () => {
  const { gateway, writeProject, curfew, logged, home } = await setUp({
    user: { b: server('mine') },
    project: { a: server('one') },
  })
  const before = await who(gateway, 'a')
  const marker = join(home.folder, 'marker')
  const evil = { command: '/bin/sh', args: ['-c', `touch ${marker}`] }
  await writeProject({ a: { ...server('two'), exclude: ['hold'], trust: true }, b: server('theirs'), evil })
  await logged('the MCP server a has changed (args, trust), and the change is not used yet')
  await logged('the MCP server evil is new and not used yet; review it with: curfew mcp approve evil')
  const status = JSON.parse(await curfew('mcp', 'status', '--json'))
  expect(status.gateways[0].heldBack).toMatchObject([
    { server: 'a', command: 'curfew mcp approve a' },
    { server: 'b' },
    { server: 'evil' },
  ])
  // What is stricter is used; the rest is not.
  expect(await toolNames(gateway)).not.toContain('mcp__a__hold')
  expect(await who(gateway, 'a')).toBe(before)
  expect(await who(gateway, 'b')).toMatch(/^mine /)
  expect((await readdir(home.folder)).includes('marker')).toBe(false)
  const shown = JSON.parse(await curfew('mcp', 'approve', 'a', '--json'))
  expect(shown).toMatchObject({ definition: { args: [program, 'two'] }, approved: false })
  await curfew('mcp', 'approve', 'a', '--yes')
  await logged('changed a')
  expect(await who(gateway, 'a')).toMatch(/^two /)
  expect(await who(gateway, 'b')).toMatch(/^mine /)
  // Approved was one definition, not the server.
  await writeProject({ a: server('three') })
  await logged('the MCP server a has changed (args, exclude)')
  expect(await who(gateway, 'a')).toMatch(/^two /)
  expect(await readFile(join(home.folder, '.config/curfew/trusted-files.json'), 'utf8')).not.toContain('two')
})

test('a disabled or removed server of a project is not used any longer, and can return as it was', async () => {
  const { gateway, writeProject, logged } = await setUp({ project: { a: server('one'), b: server('two') } })
  await writeProject({ a: { ...server('one'), disabled: true } })
  await logged('removed a, b')
  await writeProject({ a: server('one'), b: { ...server('two'), timeout: '5s' } })
  await logged('added a, b')
  expect(await who(gateway, 'a')).toMatch(/^one /)
  expect(gateway.stderr()).not.toContain('not used')
})

test('deny rules of a project are used at once, allow rules only after curfew trust', async () => {
  const ask = { approval: { rules: { ask: ['mcp__a__who'] } } }
  const { gateway, writeConfig, curfew, logged } = await setUp({ user: { a: server('one') }, config: ask })
  expect(await call(gateway, 'mcp__a__who')).toMatchObject({ code: 'DENIED' })
  const hold = { params: { file: '/' } }
  expect(await call(gateway, 'mcp__a__hold', hold)).toMatchObject({ isError: false })
  const rules = { allow: ['mcp__a__*'], deny: ['mcp__a__hold'] }
  await writeConfig('project', { approval: { rules }, limits: { depth: 3 } })
  await logged('the rules were reloaded: 1 rule added')
  await logged('changed rules are not used yet (allow mcp__a__*; ask mcp__a__who is removed)')
  await logged('limits in config.json: restart to apply the change')
  expect(await call(gateway, 'mcp__a__hold', hold)).toMatchObject({ code: 'DENIED' })
  expect(await call(gateway, 'mcp__a__who')).toMatchObject({ code: 'DENIED' })
  expect(await curfew('trust')).toContain('rule: allow mcp__a__*')
  await logged('the rules were reloaded: 1 rule added, 1 rule removed')
  expect(await call(gateway, 'mcp__a__who')).toMatchObject({ isError: false })
  // The user's own file needs no approval.
  await writeConfig('user', { approval: { rules: { deny: ['mcp__a__who'] } } })
  await until(async () => (await call(gateway, 'mcp__a__who')).code === 'DENIED')
  await writeConfig('user', {})
  await until(async () => !(await call(gateway, 'mcp__a__who')).isError)
})

test('a project that is trusted later is used, until it is no longer trusted', async () => {
  const { gateway, writeProject, curfew, logged } = await setUp({
    project: { a: server('one') },
    trusted: false,
  })
  await writeProject({ a: server('two') })
  await curfew('trust')
  await logged('added a')
  expect(await who(gateway, 'a')).toMatch(/^two /)
  await curfew('mcp', 'add', 'b', '--project', '--', process.execPath, program, 'three')
  await logged('added b')
  expect(await who(gateway, 'b')).toMatch(/^three /)
  await curfew('trust', '--remove')
  await logged('removed a, b')
  expect(gateway.stderr()).not.toContain('not used')
})

test('an approval is for one project', async () => {
  const { gateway, writeProject, curfew, runIn, logged, home } = await setUp({
    project: { a: server('one') },
  })
  const other = join(home.folder, 'other')
  await mkdir(join(other, '.curfew'), { recursive: true })
  await writeFile(join(other, '.curfew', 'mcp.json'), JSON.stringify({ mcpServers: { a: server('two') } }))
  await runIn(other, 'trust')
  await writeProject({ a: server('two') })
  await logged('and the change is not used yet')
  expect(await who(gateway, 'a')).toMatch(/^one /)
  // A second gateway in this project starts with what is there, which approves nothing for the first one.
  await using second = await startGateway(home)
  expect(await who(second, 'a')).toMatch(/^two /)
  expect(await who(gateway, 'a')).toMatch(/^one /)
  await curfew('mcp', 'approve', 'a', '--yes')
  await logged('changed a')
  expect(await who(gateway, 'a')).toMatch(/^two /)
})

test('a definition that was approved before a gateway was started with another one can be approved again', async () => {
  const { home, writeProject, curfew } = await setUp({ project: { a: server('one') } })
  await writeProject({ a: server('two') })
  await using later = await startGateway(home)
  expect(await who(later, 'a')).toMatch(/^two /)
  await writeProject({ a: server('one') })
  await until(() => later.stderr().includes('review it with: curfew mcp approve a'))
  expect(await who(later, 'a')).toMatch(/^two /)
  expect(await curfew('mcp', 'approve', 'a', '--yes')).toContain('a running gateway was started with')
  await until(async () => (await who(later, 'a')).startsWith('one '))
  await until(async () => (await curfew('mcp', 'approve', 'a', '--yes')).includes('needs no approval'))
})
