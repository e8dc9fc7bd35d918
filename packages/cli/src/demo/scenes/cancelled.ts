import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

const build = defineTool({
  name: 'build',
  description: 'Build something in ten steps.',
  timeout: '5s',
  readOnly: true,
  async execute(_params, { signal, output }) {
    for (let step = 1; step <= 10; step++) {
      await sleep(400, undefined, { signal })
      output(`step ${step} `)
    }
  },
})

export const cancelled: Scene = {
  title: 'You press ESC. The call is cancelled, and its output so far is kept.',
  async run(runner) {
    runner.use(build)
    const user = new AbortController()
    const escapeKey = setTimeout(() => user.abort('ESC was pressed'), 1_400)
    await runner.call(
      {
        name: 'build',
        summary: ({ output }) => `CANCELLED, kept "${output.trim()}"`,
        expect: {
          status: 'cancelled',
          code: 'CANCELLED',
          endsAtMs: 1_400,
          outputIncludes: 'step 1',
          contentIncludes: 'step 1',
        },
      },
      user.signal,
    )
    clearTimeout(escapeKey)
  },
}
