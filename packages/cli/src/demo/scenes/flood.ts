import { stat } from 'node:fs/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

const length = 5_000_000

const readLog = defineTool({
  name: 'read_log',
  description: 'Read a 5 MB log.',
  timeout: '5s',
  readOnly: true,
  execute: () => 'all is well\n'.repeat(length / 12 + 1).slice(0, length),
})

export const flood: Scene = {
  title: 'A tool returns 5 MB. Uncapped, that is over a million tokens.',
  async run(runner) {
    runner.use(readLog)
    const { content, spillPath = '' } = await runner.call({
      name: 'read_log',
      summary: (result) => `the model reads ${formatCount(result.content.length)} characters`,
      expect: { status: 'success', endsAtMs: 0 },
    })
    const size = await stat(spillPath).then(
      (file) => file.size,
      () => 0,
    )
    runner.claim(
      `the result names a file with all ${formatCount(size)} characters`,
      size === length && content.length < 70_000,
    )
  },
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
