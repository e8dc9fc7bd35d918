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
  title: 'You change your mind. The call is cancelled; what it said so far is kept.',
  async run(stage) {
    stage.use(build)
    const person = new AbortController()
    const pressed = setTimeout(() => person.abort('the person pressed ESC'), 1_400)
    await stage.call(
      {
        name: 'build',
        words: ({ output }) => `CANCELLED: kept "${output.trim()}"`,
        expect: { status: 'cancelled', code: 'CANCELLED', endsAtMs: 1_400, keeps: 'step 1', reads: 'step 1' },
      },
      person.signal,
    )
    clearTimeout(pressed)
  },
}
