import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { left, untilNoneLeft } from '../../../test/support/processes.ts'
import { Random } from '../../../test/support/random.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { until } from '../../../test/support/until.ts'
import { createHome, startGateway } from './helpers/gateway.ts'
import { call } from './helpers/hostile.ts'
import { labelledServer as program, stageServers } from './helpers/server-stage.ts'
import { toolNames } from './helpers/stage.ts'

const edits = 100
const names = ['a', 'b', 'c', 'd']

test(`each call ends exactly once during ${edits} random edits, and no process is left`, async () => {
  const numbers = new Random(testSeed())
  const random = (below: number): number => numbers.below(below)
  const server = (label: string, settings: object = {}): object => ({
    command: process.execPath,
    args: [program, label],
    env: { TEST_TAG: '$TEST_TAG' },
    ...settings,
  })
  const limits = {
    limits: { callsPerTurn: 1_000_000 },
    breaker: { maxCallsPerWindow: 1_000_000 },
    loops: false,
  }
  await using home = await createHome(() => ({ a: server('first') }), limits)
  const file = join(home.folder, '.config', 'curfew', 'mcp.json')
  const write = async (content: string, isAtomic: boolean): Promise<void> => {
    if (!isAtomic) return await writeFile(file, content)
    await writeFile(`${file}.new`, content)
    await rename(`${file}.new`, file)
  }
  const gateway = await startGateway(home)
  onTestFinished(() => gateway.close())
  const outcomes = new Map<string, number>()
  let ended = 0
  let isEditing = true
  const callAll = async (worker: number): Promise<void> => {
    for (let i = 0; isEditing; i++) {
      const name = names[(worker + i) % names.length]!
      const go = join(home.folder, `go-${worker}-${i}`)
      const isHeld = i % 3 === 0
      const running = isHeld
        ? call(gateway, `mcp__${name}__hold`, { params: { file: go } })
        : call(gateway, `mcp__${name}__who`)
      if (isHeld) setTimeout(() => writeFile(go, ''), 20 * (worker + 1))
      const outcome = await running.then(
        ({ isError, text, code }) => (isError ? `${code}: ${text}` : 'answered'),
        (error: Error) => (error.message.includes('unknown tool') ? 'unknown tool' : error.message),
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      ended++
    }
  }
  // Also if the test fails.
  onTestFinished(() => {
    isEditing = false
  })
  const callers = [0, 1, 2, 3, 4, 5].map(callAll)
  for (let edit = 0; edit < edits; edit++) {
    const used = names.filter(() => random(4) > 0)
    const entries = used.map((name) => [
      name,
      server(`v${random(3)}`, random(2) ? { timeout: `${20 + random(3)}s` } : {}),
    ])
    const content = JSON.stringify({ mcpServers: Object.fromEntries(entries) })
    const isBroken = random(10) === 0
    await write(isBroken ? content.slice(0, random(content.length)) : content, random(2) === 0)
    // Sometimes the next change comes while this one is being applied, sometimes after that.
    const wanted = ended + random(30)
    await until(() => ended >= wanted)
  }
  await write(JSON.stringify({ mcpServers: { d: server('last') } }), true)
  await until(
    async () => (await call(gateway, 'mcp__d__who').catch(() => null))?.text.startsWith('last ') === true,
  )
  isEditing = false
  await Promise.all(callers)
  expect((await toolNames(gateway)).filter((name) => name.startsWith('mcp__'))).toEqual([
    'mcp__d__who',
    'mcp__d__hold',
  ])
  await gateway.close()
  await untilNoneLeft(home.tag)
  // A call of a server that was just removed; any other failure would be a dropped call.
  const expected = /^(answered|unknown tool|TOOL_NOT_FOUND: .*)$/s
  const unexpected = [...outcomes].filter(([outcome]) => !expected.test(outcome))
  expect(unexpected).toEqual([])
  expect(outcomes.get('answered')).toBeGreaterThan(edits)
})

test(`each call ends exactly once during ${edits} changes of the servers`, async () => {
  const numbers = new Random(testSeed())
  const random = (below: number): number => numbers.below(below)
  const { gateway, server, call, folder, tag } = await stageServers(['a', 'first'])
  const outcomes = new Map<string, number>()
  let ended = 0
  let isChanging = true
  const callAll = async (worker: number): Promise<void> => {
    for (let i = 0; isChanging; i++) {
      const name = names[(worker + i) % names.length]!
      const file = join(folder, `go-${worker}-${i}`)
      const running = i % 3 === 0 ? call(`mcp__${name}__hold`, { file }) : call(`mcp__${name}__who`)
      if (i % 3 === 0) setTimeout(() => writeFile(file, ''), 20 * (worker + 1))
      const outcome = await running.then(
        (text) => (/^v?(first|last|\d) \d+$/.test(text) ? 'answered' : text),
        (error: Error) => error.message,
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      ended++
      // Without any server, a call ends without I/O, and this loop would never let anything else run.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  onTestFinished(() => {
    isChanging = false
  })
  const callers = [0, 1, 2, 3, 4, 5].map(callAll)
  const changing: Promise<unknown>[] = []
  for (let change = 0; change < edits; change++) {
    const used = names.filter(() => random(4) > 0)
    const settings = (): object => (random(2) ? { timeoutMs: 20_000 + random(3) } : {})
    const servers = used.map((name) => server(name, [`v${random(3)}`], settings()))
    changing.push(random(5) === 0 ? gateway.restart('a') : gateway.setServers(servers))
    const wanted = ended + random(10)
    await until(() => ended >= wanted)
  }
  await Promise.all(changing)
  await gateway.setServers([server('d', ['last'])])
  isChanging = false
  await Promise.all(callers)
  expect(await call('mcp__d__who')).toMatch(/^last /)
  // The old processes end after their last calls.
  await until(() => left(tag).length === 1)
  const unexpected = [...outcomes].filter(
    ([outcome]) => !/^answered$|unknown tool|TOOL_NOT_FOUND/.test(outcome),
  )
  expect(unexpected).toEqual([])
  expect(outcomes.get('answered')).toBeGreaterThan(edits)
})
