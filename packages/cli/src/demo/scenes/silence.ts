import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

const crawl = defineTool({
  name: 'crawl',
  description: 'Crawl three pages and get stuck on the fourth.',
  timeout: '1m',
  idleTimeout: '1s',
  readOnly: true,
  async execute(_params, { signal, output }) {
    for (let page = 1; page <= 3; page++) {
      await sleep(400, undefined, { signal })
      output(`page ${page}\n`)
    }
    await sleep(60_000, undefined, { signal })
  },
})

export const silence: Scene = {
  title: 'A tool goes silent. Its total limit alone would allow a full minute.',
  async run(runner) {
    runner.use(crawl)
    await runner.call({
      name: 'crawl',
      summary: ({ output }) => `TOOL_IDLE_TIMEOUT, kept ${output.split('\n').length - 1} lines`,
      expect: {
        status: 'error',
        code: 'TOOL_IDLE_TIMEOUT',
        endsAtMs: 2_200,
        outputIncludes: 'page 3',
        contentIncludes: 'page 3',
      },
    })
  },
}
