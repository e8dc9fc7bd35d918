import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { curfew } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { act, knownTools, perform, slackMs, stage, stillFine, toolNames } from './helpers/stage.ts'

const run = promisify(execFile)

// Many processes start at the same time, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

describe.concurrent('lists', () => {
  test('an endless list is cut off, and the other servers are listed', () =>
    stage(['endless-pages', 'same-page-endlessly'], async ({ gateway }) => {
      const start = performance.now()
      await toolNames(gateway)
      expect(performance.now() - start).toBeLessThan(3_000 + slackMs)
      const names = await knownTools(gateway, ['healthy'])
      expect(names).toContain('mcp__healthy__echo')
      expect(new Set(names).size).toBe(names.length)
    }))

  test('a huge list of resources is cut off, and the problem is logged', () =>
    stage('huge-resources', async ({ gateway }) => {
      // The resources themselves would keep the client busy.
      await gateway.client.listResourceTemplates()
      await until(() => /it lists 1000 resources; only the first 8\d\d are used/.test(gateway.stderr()))
      expect(gateway.stderr()).toMatch(/it lists 1000 resources; only the first 8\d\d are used/)
    }))

  test('unusual names: every listed tool can be called and is listed once', () =>
    stage('odd-names', async ({ gateway }) => {
      const names = await knownTools(gateway)
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[\w.-]{1,64}$/)
      for (const name of names.filter((name) => name.includes('__hostile__x'))) {
        expect(await call(gateway, name)).toMatchObject({ isError: false })
      }
      await stillFine(gateway)
    }))

  test('unusual schemas: the other tools of the server work', () =>
    stage(
      'odd-schemas',
      async ({ gateway }) => {
        const names = await knownTools(gateway)
        expect(names).toContain('mcp__hostile__cyclic')
        expect(await act(gateway)).toMatchObject({ isError: false, text: 'done' })
        for (const name of names.filter((name) => name.startsWith('mcp__hostile__'))) {
          // A backtracking regular expression would never finish with this.
          const { ms } = await call(gateway, name, { params: { a: `${'a'.repeat(40)}!` } })
          expect(ms).toBeLessThan(slackMs)
        }
      },
      { timeout: 10_000 },
    ))

  test('a tool that changes is denied, and a new one is not listed, until they are approved', async () => {
    let changes = 0
    await stage(
      'changes-its-tools',
      async ({ home, gateway }) => {
        await stillFine(gateway)
        expect(await act(gateway)).toMatchObject({ isError: false, text: 'done' })
        await until(() => /1 new tool and 1 changed definition wait for approval/.test(gateway.stderr()))
        expect(await toolNames(gateway)).not.toContain('mcp__hostile__extra')
        await expect(call(gateway, 'mcp__hostile__extra')).rejects.toThrow(/unknown tool/)
        expect(await call(gateway, 'mcp__hostile__echo', { params: { text: 'same' } })).toMatchObject({
          text: 'same',
        })
        const { code, text } = await call(gateway, 'mcp__hostile__fine')
        expect(code).toBe('DENIED')
        expect(text).toContain('curfew mcp approve hostile')
        expect(JSON.stringify(await gateway.client.listTools())).not.toContain('id_ed25519')
        const approve = [curfew, 'mcp', 'approve', 'hostile', '--yes']
        const { stdout } = await run(process.execPath, approve, { env: home.env, cwd: home.folder })
        expect(stdout).toContain('id_ed25519')
        // Running gateways are told that something was approved.
        await until(() => changes > 0)
        expect(await call(gateway, 'mcp__hostile__extra')).toMatchObject({ isError: false })
        // Now the approved definition is listed, and the tool runs.
        const listed = await gateway.client.listTools({}, { cacheMode: 'bypass' })
        expect(JSON.stringify(listed)).toContain('id_ed25519')
        await stillFine(gateway)
      },
      {},
      {
        prepare: (client) =>
          client.setNotificationHandler('notifications/tools/list_changed', () => void changes++),
      },
    )
  })

  test('a reverted change needs no approval', async () => {
    await using home = await hostileHome('another-description-every-other-start', { timeout: 20_000 })
    for (const code of [undefined, 'DENIED', undefined]) {
      await perform(home, async ({ gateway }) => {
        expect((await call(gateway, 'mcp__hostile__fine')).code).toBe(code)
      })
    }
  })

  test('a tool that changes at each start is denied from the second start on', async () => {
    await using home = await hostileHome('another-description-at-each-start', { timeout: 20_000 })
    await perform(home, async ({ gateway }) => {
      expect(await knownTools(gateway)).toContain('mcp__hostile__fine')
      await stillFine(gateway)
    })
    await perform(home, async ({ home, gateway }) => {
      // The stored list is used until the server has started.
      const before = recorded(home, 'start').length
      const first = await call(gateway, 'mcp__hostile__fine')
      expect(recorded(home, 'start').length).toBe(before + 1)
      expect(first.code).toBe('DENIED')
      expect(recorded(home, 'tools/call').filter(({ detail }) => detail?.name === 'fine')).toHaveLength(1)
    })
  })
})
