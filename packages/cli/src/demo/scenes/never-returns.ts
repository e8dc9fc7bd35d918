import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

const waitForever = defineTool({
  name: 'wait_forever',
  description: 'Wait for an answer that never comes.',
  timeout: '1s',
  readOnly: true,
  execute: (_params, { signal }) => sleep(2 ** 31 - 1, undefined, { signal }),
})

export const neverReturns: Scene = {
  title: 'A tool never returns. The call ends at its limit all the same.',
  async run(stage) {
    stage.use(waitForever)
    const { content } = await stage.call({
      name: 'wait_forever',
      expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000, reads: 'its limit is 1 s' },
    })
    stage.claim(`the model reads: ${content}`, content.includes('It is safe to retry.'))
  },
}
