import { CurfewError, createRuntime, executeToolCall, type RuntimeOptions, type Tool } from '@curfew/core'
import { defineToolFrom } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'

const parameters = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'number', default: 3 } },
  required: ['text'],
  additionalProperties: false,
} as const

/** A tool that validates its parameters itself, and what it got. */
function ownTool(execute: (params: unknown) => unknown = () => 'done') {
  const received: unknown[] = []
  const tool = defineToolFrom(
    {
      name: 'own',
      description: 'Check it.',
      parameters,
      execute: (params) => {
        received.push(params)
        return execute(params)
      },
    },
    { adapter: 'function', validatesItself: true },
  )
  return { tool: tool as unknown as Tool, received }
}

function open(execute?: (params: unknown) => unknown, options: RuntimeOptions = {}) {
  const { tool, received } = ownTool(execute)
  const runtime = createRuntime({ approval: 'allow', ...options })
  runtime.register(tool)
  const call = async (params: unknown) => (await runtime.execute([{ id: 'c', name: 'own', params }]))[0]!
  return { runtime, call, received }
}

const fail = (): never => {
  throw new CurfewError('TOOL_FAILED', 'no')
}
const note = "The arguments do not match the tool's schema: text: is required; count: must be number."

describe('a tool that validates its parameters itself', () => {
  test('gets every object as it is', async () => {
    const { call, received } = open()
    const params = { count: '5', extra: [{ a: null }] }
    expect(await call(params)).toMatchObject({ status: 'success', content: 'done', notices: [] })
    expect(received).toEqual([params])
    expect(await executeToolCall(ownTool().tool, params)).toBe('done')
  })

  test.each([[[1]], ['{"text":"a"}'], [5]])('does not get %j', async (params) => {
    const { call, received } = open()
    expect(await call(params)).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(received).toEqual([])
  })

  test('a failure has a note about them', async () => {
    const { call } = open(fail)
    const result = await call({ count: '5' })
    expect(result.notices).toEqual([note])
    expect(result.content).toMatch(/^TOOL_FAILED: no\./)
    expect(result.content.endsWith(`\n\n[curfew] ${note}`)).toBe(true)
    expect((await call({ text: 'a' })).notices).toEqual([])
  })

  test('a note for a misspelled parameter suggests the right one', async () => {
    const { call } = open(fail)
    expect((await call({ txet: 'a' })).notices).toEqual([
      "The arguments do not match the tool's schema: text: is required; " +
        'txet: is not a parameter of this tool, did you mean "text"?',
    ])
  })

  test('a call that did not reach the tool has no note', async () => {
    const denied = open(fail, { approval: 'deny' })
    expect(await denied.call({})).toMatchObject({ code: 'DENIED', notices: [] })
    const rejected = open(() => {
      throw new CurfewError('DENIED', 'changed', { hadNoEffect: true })
    })
    expect((await rejected.call({})).notices).toEqual([])
  })

  test('secrets are redacted in the note', async () => {
    const { runtime, call } = open(fail)
    runtime.hideSecret('KEY', 's3cr3t-value')
    const result = await call({ text: 'a', 's3cr3t-value': 1 })
    expect(result.notices.join()).toMatch(/^The arguments do not match .*\[.*\]: is not a parameter/)
    expect(JSON.stringify(result)).not.toContain('s3cr3t-value')
  })

  test('as a stub, it is loaded by parameters that do not match', async () => {
    const { call, received } = open(undefined, { view: 'stub' })
    expect(await call({ count: '5' })).toMatchObject({ status: 'success', loaded: true })
    expect(received).toEqual([])
    expect(await call({ count: '5' })).toMatchObject({ content: 'done' })
    expect(await call({})).toMatchObject({ content: 'done' })
    expect(received).toEqual([{ count: '5' }, {}])
  })

  test('decisions are made for it as for any other tool', () => {
    const { runtime } = open(undefined, { approval: { default: 'allow', rules: { deny: ['own(5)'] } } })
    const decide = (count: string) => runtime.decide({ id: 'c', name: 'own', params: { count } })
    expect(decide('5')).toMatchObject({ verdict: 'deny' })
    expect(decide('6')).toMatchObject({ verdict: 'allow' })
  })
})
