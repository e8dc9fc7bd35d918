import { type CallResult, defineTool } from '@curfew/core'
import { describe, expect, it } from 'vitest'
import { type DemoReporter, runDemo } from '../src/demo/run-demo.ts'
import type { Scene } from '../src/demo/scene.ts'

describe('runDemo', () => {
  const silentReporter: DemoReporter = {
    begin() {},
    scene() {},
    running: () => () => {},
    call() {},
    claim() {},
    end() {},
  }
  const play = (run: Scene['run']) =>
    runDemo([{ title: 'a scene', run }], silentReporter, new AbortController().signal)
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

  it('is ok if every call ended as expected', async () => {
    const report = await play(async (runner) => {
      runner.use(echo)
      await runner.call({ name: 'echo', expect: { status: 'success', endsAtMs: 0 } })
      runner.claim('one call was made', runner.calls.length === 1)
    })
    expect(report).toMatchObject({ ok: true, calls: 1, asExpected: 1, failedClaims: 0, leftRunning: 0 })
  })

  it('is not ok if a call ended in another way', async () => {
    const report = await play(async (runner) => {
      runner.use(echo)
      await runner.call({ name: 'echo', expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 0 } })
      await runner.call({ name: 'echo', expect: { status: 'success', endsAtMs: 0 } })
    })
    expect(report).toMatchObject({ ok: false, calls: 2, asExpected: 1 })
  })

  it('is not ok if a claim is false', async () => {
    const report = await play(async (runner) => runner.claim('the earth is flat', false))
    expect(report).toMatchObject({ ok: false, failedClaims: 1 })
  })

  it('is not ok if a call is left running, and cancels that call', async () => {
    let results: Promise<CallResult[]> | undefined
    const report = await play(async (runner) => {
      runner.use(hang)
      results = runner.runtime.execute([{ id: 'forgotten', name: 'hang' }])
    })
    expect(report).toMatchObject({ ok: false, leftRunning: 1 })
    expect(await results).toMatchObject([{ status: 'cancelled' }])
  })
})
