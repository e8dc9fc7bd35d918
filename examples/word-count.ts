// The smallest program: one tool, one call.
import { createRuntime, defineTool } from '@curfew/core'
import { z } from 'zod'

const runtime = createRuntime({ toolCallTimeout: '3m' })

runtime.register(
  defineTool({
    name: 'word_count',
    description: 'Count the words in a text.',
    parameters: z.object({ text: z.string() }),
    timeout: 5_000,
    readOnly: true,
    concurrent: true,
    execute: ({ text }) => ({ words: text.split(/\s+/).length }),
  }),
)

const [result] = await runtime.execute([
  { id: 'c1', name: 'word_count', params: { text: 'every call ends' } },
])
process.stdout.write(`${result!.content}\n`)
await runtime.close()
