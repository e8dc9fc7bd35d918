import { createRuntime, defineTool, type Question, type RuntimeOptions } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'

const seen: (string | null)[] = []

const write = defineTool({
  name: 'write',
  description: 'Write a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const,
  restrict: ({ path }) => {
    if (path === '.env') return { verdict: 'deny', reason: '.env contains secrets' }
    return path === '.git/config' ? { verdict: 'ask', reason: 'git runs what .git/config names' } : null
  },
  execute: (_params, { restriction }) => {
    seen.push(restriction)
    return 'written'
  },
})

const path = (path: string) => ({ id: path, name: 'write', params: { path } })
const code = (result: object | undefined) => (result as { code?: string }).code ?? 'success'

function open(options: RuntimeOptions = {}): ReturnType<typeof createRuntime> {
  const runtime = createRuntime({ log: () => {}, ...options })
  runtime.register(write)
  onTestFinished(() => runtime.close())
  return runtime
}

test('a restriction asks whatever rules, modes, answers and the default allow', async () => {
  const runtime = open({
    approval: { default: 'allow', rules: { allow: ['write'], remembered: ['write(*)'] } },
  })
  const asked: Question[] = []
  runtime.onQuestion((question) => {
    asked.push(question)
    return 'always'
  })
  const conversation = runtime.conversation()
  conversation.setMode({ name: 'edits', allow: ['write'] })
  const turn = conversation.turn()
  for (const _ of [1, 2]) await turn.execute([path('.git/config'), path('a')])
  expect(asked).toHaveLength(2)
  expect(asked[0]).toMatchObject({ restriction: 'git runs what .git/config names' })
  expect(asked[0]!.message).toBe('Allow write with {"path":".git/config"}?\ngit runs what .git/config names')
  expect(seen.splice(0)).toEqual([
    'git runs what .git/config names',
    null,
    asked[0]!.message.split('\n')[1],
    null,
  ])
  expect(runtime.rules.list().filter(({ source }) => source === 'remembered')).toHaveLength(1)
})

test('nobody to ask: denied, without advice that does not help', async () => {
  const [result] = await open({ approval: 'allow' }).execute([path('.git/config')])
  expect(result).toMatchObject({
    code: 'DENIED',
    message:
      'write was denied: git runs what .git/config names. That requires the approval of a person, and nobody is available to answer',
  })
})

test('a restriction denies, also what a person types, and asks nobody', async () => {
  const runtime = open({ approval: 'allow' })
  runtime.onQuestion(() => expect.unreachable())
  const [result] = await runtime.execute([path('.env')])
  expect(result).toMatchObject({ code: 'DENIED', message: 'write was denied: .env contains secrets' })
  const typed = runtime.conversation().turn({ origin: 'person' })
  expect((await typed.execute([path('.env'), path('.git/config')])).map(code)).toEqual(['DENIED', 'success'])
  expect(seen.splice(0)).toEqual(['git runs what .git/config names'])
})

test('deny rules and modes come before a restriction that asks', async () => {
  const runtime = open({ approval: { rules: { deny: ['write(.git/*)'] } } })
  runtime.onQuestion(() => 'once')
  expect(code((await runtime.execute([path('.git/config')]))[0])).toBe('DENIED')
  const conversation = open({ approval: 'allow' }).conversation({ ask: () => 'once' })
  conversation.setMode({ name: 'plan', readOnly: true })
  expect(code((await conversation.execute([path('.git/config')]))[0])).toBe('DENIED')
})

test('decide returns the restriction', () => {
  const runtime = open({ approval: 'allow' })
  expect(runtime.decide(path('.git/config'))).toMatchObject({
    verdict: 'ask',
    restriction: 'git runs what .git/config names',
    question: { restriction: 'git runs what .git/config names' },
  })
  expect(runtime.decide(path('.env'))).toMatchObject({
    verdict: 'deny',
    restriction: '.env contains secrets',
  })
  expect(runtime.decide(path('a'))).not.toHaveProperty('restriction')
})

test.each([
  [
    'throws',
    () => {
      throw new Error('cannot tell')
    },
    'INVALID_PARAMS',
  ],
  ['returns something else', () => 'ask' as never, 'INVALID_TOOL'],
])('a function that %s fails the call, which does not run', async (_, restrict, expected) => {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  onTestFinished(() => runtime.close())
  runtime.register(
    defineTool({ name: 'odd', description: 'Write.', restrict, execute: () => expect.unreachable() }),
  )
  expect(code((await runtime.execute([{ id: '1', name: 'odd', params: {} }]))[0])).toBe(expected)
})
