import { type CallResult, defineTool } from '@curfew/core'
import { describe, expect, it } from 'vitest'
import type { Audience } from '../src/demo/audience.ts'
import { checkCall, type Expectation } from '../src/demo/check-call.ts'
import { runDemo } from '../src/demo/run-demo.ts'
import type { Scene } from '../src/demo/scene.ts'

const success: CallResult = {
  id: '1',
  name: 'echo',
  status: 'success',
  value: 'hello',
  content: 'hello',
  output: 'line 1',
  durationMs: 10,
  timeoutMs: 1_000,
  timeoutSource: 'tool',
  notices: [],
}
const timeout: CallResult = {
  ...success,
  status: 'error',
  code: 'TOOL_TIMEOUT',
  message: 'too late',
  content: 'TOOL_TIMEOUT: too late',
  retrySafe: false,
  abandoned: true,
}

describe('checkCall', () => {
  const asSuccess: Expectation = { status: 'success', endsAtMs: 0 }
  const asTimeout: Expectation = { status: 'error', code: 'TOOL_TIMEOUT', abandoned: true, endsAtMs: 1_000 }

  it('finds nothing wrong with what ended as it should', () => {
    expect(checkCall({ ...asSuccess, reads: 'hello', keeps: 'line' }, success, 12)).toEqual([])
    expect(checkCall(asTimeout, timeout, 1_250)).toEqual([])
  })

  it.each<[string, Expectation, CallResult, number, string[]]>([
    [
      'another state',
      { status: 'cancelled', endsAtMs: 0 },
      success,
      0,
      ['state should be cancelled, but is success'],
    ],
    [
      'a success where an error was expected',
      { status: 'error', code: 'DENIED', endsAtMs: 0 },
      success,
      0,
      ['state should be error, but is success', 'code should be DENIED, but is none'],
    ],
    [
      'another code',
      { ...asTimeout, code: 'DENIED' },
      timeout,
      1_000,
      ['code should be DENIED, but is TOOL_TIMEOUT'],
    ],
    [
      'an abandoned tool',
      { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 },
      timeout,
      1_000,
      ['abandoned should be false, but is true'],
    ],
    ['too early', asTimeout, timeout, 500, ['it should end after 980 to 2750 ms, but took 500']],
    ['too late', asTimeout, timeout, 2_800, ['it should end after 980 to 2750 ms, but took 2800']],
    ['lost output', { ...asSuccess, keeps: 'line 2' }, success, 0, ['its output should keep "line 2"']],
    ['another text', { ...asSuccess, reads: 'bye' }, success, 0, ['the model should read "bye"']],
  ])('sees %s', (_what, expected, result, elapsedMs, problems) => {
    expect(checkCall(expected, result, elapsedMs)).toEqual(problems)
  })
})

describe('runDemo', () => {
  const nobody: Audience = {
    begin() {},
    scene() {},
    running: () => () => {},
    call() {},
    claim() {},
    end() {},
  }
  const play = (run: Scene['run']) =>
    runDemo([{ title: 'a scene', run }], nobody, new AbortController().signal)
  const echo = defineTool({ name: 'echo', description: 'Say hello.', readOnly: true, execute: () => 'hello' })
  const hang = defineTool({
    name: 'hang',
    description: 'Hang.',
    readOnly: true,
    execute: (_params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  })

  it('is well if every call ended as it should', async () => {
    const report = await play(async (stage) => {
      stage.use(echo)
      await stage.call({ name: 'echo', expect: { status: 'success', endsAtMs: 0 } })
      stage.claim('one call was made', stage.calls.length === 1)
    })
    expect(report).toMatchObject({ ok: true, calls: 1, asExpected: 1, failedClaims: 0, leftRunning: 0 })
  })

  it('is not well if a call did not', async () => {
    const report = await play(async (stage) => {
      stage.use(echo)
      await stage.call({ name: 'echo', expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 0 } })
      await stage.call({ name: 'echo', expect: { status: 'success', endsAtMs: 0 } })
    })
    expect(report).toMatchObject({ ok: false, calls: 2, asExpected: 1 })
  })

  it('is not well if something that was claimed is not true', async () => {
    const report = await play(async (stage) => stage.claim('the earth is flat', false))
    expect(report).toMatchObject({ ok: false, failedClaims: 1 })
  })

  it('is not well if a call is left running, and ends it', async () => {
    let results: Promise<CallResult[]> | undefined
    const report = await play(async (stage) => {
      stage.use(hang)
      results = stage.runtime.execute([{ id: 'forgotten', name: 'hang' }])
    })
    expect(report).toMatchObject({ ok: false, leftRunning: 1 })
    expect(await results).toMatchObject([{ status: 'cancelled' }])
  })
})
