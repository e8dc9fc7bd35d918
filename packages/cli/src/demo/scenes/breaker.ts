import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'
import type { Stage } from '../stage.ts'

export const breaker: Scene = {
  title: 'A service is dead. Without a breaker every call waits out its limit again.',
  async run(stage) {
    let down = true
    const askService = defineTool({
      name: 'ask_service',
      description: 'Ask a service that is down, and later up again.',
      timeout: '500ms',
      readOnly: true,
      async execute(_params, { signal }) {
        await sleep(down ? 60_000 : 200, undefined, { signal })
        return 'the service is up again'
      },
    })
    stage.use(askService)
    for (let failures = 0; failures < 3; failures++) {
      await stage.call({
        name: 'ask_service',
        expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 500 },
      })
    }
    const opened = breakerState(stage) === 'open'
    await stage.call({
      name: 'ask_service',
      words: (result) => (result.status === 'error' ? `${result.code}: refused at once` : 'it was called'),
      expect: { status: 'error', code: 'CIRCUIT_OPEN', endsAtMs: 0, reads: 'is blocked for' },
    })
    await stage.wait('the breaker cools down for 1.5 s', 1_500)
    down = false
    await stage.call({ name: 'ask_service', expect: { status: 'success', endsAtMs: 200 } })
    const closed = breakerState(stage) === 'closed'
    stage.claim('three failures opened the breaker; after 1.5 s one probe closed it again', opened && closed)
  },
}

function breakerState(stage: Stage): string {
  return stage.runtime.getSnapshot().breakers.failures.ask_service?.state ?? 'closed'
}
