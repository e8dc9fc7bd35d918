import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

export const unattendedBridge: Scene = {
  title: 'A tool needs a yes and nobody is there. Then the answer is no, at once.',
  async run(stage) {
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
    stage.use(deleteBranch)
    const { content } = await stage.call({
      name: 'delete_branch',
      params: { branch: 'main' },
      words: (result) => (result.status === 'success' ? 'it ran' : `${result.code}: it did not run`),
      expect: { status: 'error', code: 'DENIED', endsAtMs: 0, reads: 'delete_branch(main)' },
    })
    const howTo = content.slice(content.indexOf('To allow it'))
    stage.claim(`the model reads: ... ${howTo}`, !ran && howTo.startsWith('To allow it'))
  },
}
