import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'

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
