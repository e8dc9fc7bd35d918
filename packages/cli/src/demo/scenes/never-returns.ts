import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

const waitForever = defineTool({
  name: 'wait_forever',
  description: 'Wait for a response that never comes.',
  timeout: '1s',
  readOnly: true,
  execute: (_params, { signal }) => sleep(2 ** 31 - 1, undefined, { signal }),
})

export const neverReturns: Scene = {
  title: 'A tool never returns. The call ends at its limit anyway.',
  async run(runner) {
    runner.use(waitForever)
    const result = await runner.call({
      name: 'wait_forever',
      expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 },
    })
    runner.claim(`the model reads: ${result.content}`, result.status === 'error' && result.retrySafe)
  },
}
