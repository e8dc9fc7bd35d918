import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'
import type { SceneRunner } from '../scene-runner.ts'

export const breaker: Scene = {
  title: 'A service is down. Without a breaker, every call would run into its timeout.',
  async run(runner) {
    let down = true
    const queryService = defineTool({
      name: 'query_service',
      description: 'Query a service that is down at first.',
      timeout: '500ms',
      readOnly: true,
      async execute(_params, { signal }) {
        await sleep(down ? 60_000 : 200, undefined, { signal })
        return 'the service is back'
      },
    })
    runner.use(queryService)
    for (let failures = 0; failures < 3; failures++) {
      await runner.call({
        name: 'query_service',
        expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 500 },
      })
    }
    const opened = breakerState(runner) === 'open'
    await runner.call({
      name: 'query_service',
      summary: (result) => (result.status === 'error' ? `${result.code}, not called` : 'called'),
      expect: { status: 'error', code: 'CIRCUIT_OPEN', endsAtMs: 0 },
    })
    await runner.wait('the breaker cools down for 1.5 s', 1_500)
    down = false
    await runner.call({ name: 'query_service', expect: { status: 'success', endsAtMs: 200 } })
    const closed = breakerState(runner) === 'closed'
    runner.claim('3 failures opened the breaker; after 1.5 s, a successful probe closed it', opened && closed)
  },
}

function breakerState(runner: SceneRunner): string {
  return runner.runtime.getSnapshot().breakers.failures.query_service?.state ?? 'closed'
}

export const unattendedApproval: Scene = {
  title: 'A tool needs approval, but there is no user to ask. The call is denied.',
  async run(runner) {
    let ran = false
    const deleteBranch = defineTool({
      name: 'delete_branch',
      description: 'Delete a branch.',
      parameters: { type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] },
      timeout: '5s',
      execute() {
        ran = true
      },
    })
    runner.use(deleteBranch)
    const { content } = await runner.call({
      name: 'delete_branch',
      params: { branch: 'main' },
      summary: (result) => (result.status === 'success' ? 'ran' : `${result.code}, did not run`),
      expect: { status: 'error', code: 'DENIED', endsAtMs: 0, contentIncludes: 'delete_branch(main)' },
    })
    runner.claim(`the model reads: ${content}`, !ran)
  },
}
