import { createRuntime, defineTool, type RuntimeOptions, type Tool, type Vault } from '@curfew/core'
import { createFakeClock, type FakeClock, type Step, scriptedTool } from '@curfew/core/testing'
import { beforeEach, expect, test } from 'vitest'
import { logCalls } from './log-calls.ts'
import type { LogFields } from './log-level.ts'

let clock: FakeClock
let lines: { level: string; message: string; fields: LogFields }[]

beforeEach(() => {
  clock = createFakeClock()
  lines = []
})

function tool(name: string, script: readonly Step[], options: object = {}): Tool {
  return scriptedTool({ clock, name, script, ...options })
}

async function run(
  tools: readonly Tool[],
  calls: readonly string[],
  options: RuntimeOptions = {},
): Promise<ReturnType<typeof createRuntime>> {
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  runtime.register(tools)
  logCalls(runtime, {
    write: (level, message, fields) => lines.push({ level, message, fields }),
    isEnabled: () => true,
    idOf: (uid) => `m4tq-${uid}`,
  })
  await clock.runUntil(runtime.execute(calls.map((name, index) => ({ id: `c${index}`, name, params: {} }))))
  return runtime
}

test('a long call is logged every 30 seconds, in the format of the heartbeat', async () => {
  await run([tool('deploy', [{ wait: 65_000 }])], ['deploy'])
  const heartbeats = lines.filter(({ level }) => level === 'info')
  expect(heartbeats.map(({ message }) => message)).toEqual([
    'running name=deploy elapsed=30s/180s',
    'running name=deploy elapsed=60s/180s',
  ])
  expect(heartbeats[0]!.fields).toEqual({
    call: expect.stringMatching(/^m4tq-\d+$/),
    uid: expect.any(Number),
    callId: 'c0',
    tool: 'deploy',
    elapsedMs: 30_000,
    timeoutMs: 180_000,
  })
})

test('a failure is a warning with its code; a success is only for debugging', async () => {
  const failing = tool('failing', [{ wait: 10 }, { throw: new Error('no such host') }])
  await run([failing, tool('fine', [])], ['failing', 'fine'])
  expect(lines.map(({ level, message }) => `${level} ${message}`).sort()).toEqual([
    'debug succeeded name=fine',
    'warn failed name=failing code=TOOL_FAILED',
  ])
  expect(lines.find(({ level }) => level === 'warn')!.fields).toMatchObject({
    callId: 'c0',
    tool: 'failing',
    code: 'TOOL_FAILED',
    error: expect.stringContaining('no such host'),
    durationMs: 10,
    timeoutMs: 180_000,
  })
})

test('denials, timeouts and unknown tools have their codes', async () => {
  const slow = tool('slow', [{ wait: 9_000 }], { timeout: 1_000 })
  await run([slow, tool('secret', [])], ['slow', 'secret', 'no "such" tool'], {
    approval: { default: 'allow', rules: { deny: ['secret'] } },
  })
  expect(lines.map(({ message }) => message).sort()).toEqual([
    'denied name=secret code=DENIED',
    'failed name="no \\"such\\" tool" code=TOOL_NOT_FOUND',
    'failed name=slow code=TOOL_TIMEOUT',
  ])
})

test('a cancelled call, an abandoned one, and its late end', async () => {
  const deaf = tool('deaf', [{ wait: 9_000 }], { timeout: 1_000, ignoresSignal: true })
  const runtime = await run([deaf, tool('slow', [{ wait: 60_000 }])], ['deaf'])
  const ended = runtime.execute([{ id: 'c1', name: 'slow', params: {} }])
  await clock.advance(10_000)
  runtime.cancelAll('by the test')
  await clock.runUntil(ended)
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn failed name=deaf code=TOOL_TIMEOUT',
    'warn ended late name=deaf outcome=returned',
    'warn cancelled name=slow code=CANCELLED',
  ])
  expect(lines[0]!.fields.abandoned).toBe(true)
})

test('after the end of logging, nothing is logged', async () => {
  const runtime = createRuntime({ clock, approval: 'allow' })
  runtime.register(tool('failing', [{ throw: new Error('x') }]))
  const stop = logCalls(runtime, {
    write: (level, message, fields) => lines.push({ level, message, fields }),
    isEnabled: () => true,
    idOf: () => undefined,
  })
  stop()
  await clock.runUntil(runtime.execute([{ id: 'c', name: 'failing', params: {} }]))
  expect(lines).toEqual([])
})

test('a secret in the id of a call is not logged', async () => {
  const token = 'canary-Zq7Xw29Lm4Tk8'
  const vault: Vault = {
    canStore: false,
    read: async () => ({ kind: 'found', value: token }),
    store: async () => {},
    allow: async () => {},
  }
  const runtime = await run([], [], { vault })
  const learn = defineTool({
    name: 'learn',
    description: 'Read the token.',
    secrets: ['TOKEN'],
    async execute(_params, { secret }) {
      await secret('TOKEN')
      await new Promise<void>((resolve) => clock.setTimer(40_000, resolve))
    },
  })
  runtime.register(learn)
  await clock.runUntil(runtime.execute([{ id: `call ${token}`, name: 'learn' }]))
  expect(lines.map(({ fields }) => fields.callId)).toEqual(['call [secret TOKEN]', 'call [secret TOKEN]'])
})
