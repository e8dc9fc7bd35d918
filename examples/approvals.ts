// Approval rules and a handler that answers the remaining questions; this one allows every file under src/.
import { createRuntime, defineTool } from '@curfew/core'

const runtime = createRuntime({
  approval: { rules: { allow: ['write_file(docs/*)'], deny: ['write_file(*.env)'] } },
  ask: (question) => {
    if (question.kind !== 'approval') return undefined
    const { path } = question.params as { path: string }
    return path.startsWith('src/') ? 'once' : { answer: 'no', reason: 'only files under src/ and docs/' }
  },
})

runtime.register(
  defineTool({
    name: 'write_file',
    description: 'Write text to a file.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, text: { type: 'string', default: '' } },
      required: ['path'],
    },
    resources: ({ path }) => [`file:${path}`],
    execute: ({ path, text }) => `would write ${text.length} characters to ${path}`,
  }),
)

const paths = ['docs/guide.md', 'src/main.ts', 'README.md', 'src/.env']
const results = await runtime.execute(
  paths.map((path) => ({ id: path, name: 'write_file', params: { path } })),
)
for (const { id, status, content } of results) process.stdout.write(`${id}: ${status}: ${content}\n`)
await runtime.close()
