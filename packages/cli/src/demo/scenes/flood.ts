import { stat } from 'node:fs/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

const length = 5_000_000

const readLog = defineTool({
  name: 'read_log',
  description: 'Read a log of 5 MB.',
  timeout: '5s',
  readOnly: true,
  execute: () => 'all is well\n'.repeat(length / 12 + 1).slice(0, length),
})

export const flood: Scene = {
  title: 'A tool returns 5 MB. Uncapped, that is more than a million tokens.',
  async run(stage) {
    stage.use(readLog)
    const { content } = await stage.call({
      name: 'read_log',
      words: (result) => `the model reads ${grouped(result.content.length)} characters`,
      expect: { status: 'success', endsAtMs: 0, reads: 'the complete result is in ' },
    })
    const [, path = ''] = /the complete result is in (.+?) \.\.\.\]/.exec(content) ?? []
    const size = await stat(path).then(
      (file) => file.size,
      () => 0,
    )
    stage.claim(
      `nothing is lost: all ${grouped(size)} are in a file, and the text names it`,
      size === length && content.length < 70_000,
    )
  },
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
