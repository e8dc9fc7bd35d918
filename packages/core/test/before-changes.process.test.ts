import { type ConversationOptions, createRuntime, defineTool } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'

type BeforeChanges = Exclude<ConversationOptions['beforeChanges'], undefined>

function open(beforeChanges: BeforeChanges) {
  const log: string[] = []
  const tool = (name: string, readOnly: boolean, inner?: string) =>
    defineTool({
      name,
      description: 'Do something.',
      readOnly,
      concurrent: true,
      timeout: 5_000,
      async execute(_params, { execute }) {
        log.push(name)
        if (inner !== undefined) await execute([{ id: 'inner', name: inner, params: {} }])
        return name
      },
    })
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  runtime.register([
    tool('read', true),
    tool('write', false),
    tool('write_twice', false, 'write'),
    tool('indirect', true, 'write'),
  ])
  onTestFinished(() => runtime.close())
  const hook: BeforeChanges = async (context) => {
    log.push('begin')
    await beforeChanges(context)
    log.push('end')
  }
  const conversation = runtime.conversation({ beforeChanges: hook })
  const run = (...names: string[]) =>
    conversation.execute(names.map((name, index) => ({ id: `${index}`, name, params: {} })))
  return { log, runtime, conversation, run }
}

test('runs once per batch, before the first call that is not read-only', async () => {
  const { log, run } = open(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  await run('read')
  expect(log.splice(0)).toEqual(['read'])
  const results = await run('write', 'read', 'write')
  expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  expect(log.filter((line) => line === 'begin')).toHaveLength(1)
  expect(log.indexOf('end')).toBeLessThan(log.indexOf('write'))
  log.length = 0
  await run('write')
  expect(log).toEqual(['begin', 'end', 'write'])
})

test('calls inside a call belong to its batch', async () => {
  const { log, run } = open(async () => {})
  await run('write_twice')
  expect(log.splice(0)).toEqual(['begin', 'end', 'write_twice', 'write'])
  await run('indirect')
  expect(log).toEqual(['indirect', 'begin', 'end', 'write'])
})

test('it does not count against the deadline of the call', async () => {
  const { conversation } = open(() => new Promise((resolve) => setTimeout(resolve, 300)))
  const [result] = await conversation.execute([{ id: '1', name: 'write', params: {}, timeout: 200 }])
  expect(result).toMatchObject({ status: 'success' })
})

test('if it rejects, the calls that are not read-only fail, and the next batch tries again', async () => {
  let fails = true
  const { log, run } = open(async () => {
    if (fails) throw new Error('no space left')
  })
  expect(await run('write', 'read')).toMatchObject([
    { code: 'TOOL_FAILED', message: 'beforeChanges failed: no space left' },
    { status: 'success' },
  ])
  fails = false
  expect(await run('write')).toMatchObject([{ status: 'success' }])
  expect(log.filter((line) => line === 'begin')).toHaveLength(2)
})

test('a call that is cancelled meanwhile ends at once, and aborts it if no other call waits', async () => {
  let onStart = (): void => {}
  let onAbort = (): void => {}
  const started = new Promise<void>((resolve) => {
    onStart = resolve
  })
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve
  })
  const { runtime, run } = open(({ signal }) => {
    onStart()
    signal.addEventListener('abort', () => onAbort())
    return new Promise(() => {})
  })
  const results = run('write')
  await started
  runtime.cancel('0')
  expect(await results).toMatchObject([{ status: 'cancelled' }])
  await aborted
})

test('a conversation inside a call has its own', async () => {
  const outer: string[] = []
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  onTestFinished(() => runtime.close())
  runtime.register([
    defineTool({ name: 'write', description: 'Write.', execute: () => 'written' }),
    defineTool({
      name: 'delegate',
      description: 'Delegate.',
      execute: (_params, context) => context.conversation().execute([{ id: '1', name: 'write', params: {} }]),
    }),
  ])
  const conversation = runtime.conversation({ beforeChanges: () => void outer.push('outer') })
  await conversation.execute([{ id: '1', name: 'delegate', params: {} }])
  expect(outer).toEqual(['outer'])
})
