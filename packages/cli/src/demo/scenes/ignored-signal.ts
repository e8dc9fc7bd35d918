import { defineTool } from '@curfew/core'
import { graceMs } from '../check-call.ts'
import type { Scene } from '../scene.ts'

const ignoreSignal = defineTool({
  name: 'ignore_signal',
  description: 'Never settle, and ignore the signal.',
  timeout: '1s',
  readOnly: true,
  execute: () => new Promise(() => {}),
})

export const ignoredSignal: Scene = {
  title: 'A tool ignores its signal. The call still ends, after a grace period.',
  async run(runner) {
    runner.use(ignoreSignal)
    await runner.call({
      name: 'ignore_signal',
      expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 + graceMs, abandoned: true },
    })
    const { abandonedRunning } = runner.runtime.getSnapshot().late
    runner.claim(
      `the call ended ${graceMs} ms after its limit; abandoned functions: ${abandonedRunning}`,
      abandonedRunning === 1,
    )
  },
}
