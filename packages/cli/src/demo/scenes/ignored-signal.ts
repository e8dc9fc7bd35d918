import { defineTool } from '@curfew/core'
import { graceMs } from '../check-call.ts'
import type { Scene } from '../scene.ts'

const ignoreSignal = defineTool({
  name: 'ignore_signal',
  description: 'Never settle and never listen.',
  timeout: '1s',
  readOnly: true,
  execute: () => new Promise(() => {}),
})

export const ignoredSignal: Scene = {
  title: 'A tool ignores its signal. The call ends without it, a short grace later.',
  async run(stage) {
    stage.use(ignoreSignal)
    await stage.call({
      name: 'ignore_signal',
      expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 + graceMs, abandoned: true },
    })
    const { abandonedRunning } = stage.runtime.getSnapshot().late
    stage.claim(
      `the call ends ${graceMs} ms later without it; tools counted as abandoned: ${abandonedRunning}`,
      abandonedRunning === 1,
    )
  },
}
