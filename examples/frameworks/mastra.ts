// Mastra with the tools of a runtime.
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { scriptedModel } from './scripted-model.ts'
import { print, runtime } from './tools.ts'

// begin
const turn = runtime.conversation().turn()
const tools = turn.conversation.listTools().map(({ name, description = '', parameters }) =>
  createTool({
    id: name,
    description,
    inputSchema: parameters as never,
    execute: async (params, { agent, abortSignal: signal }) =>
      (await turn.run({ id: agent?.toolCallId ?? '', name, params }, { signal })).content,
  }),
)
// end

const agent = new Agent({
  id: 'assistant',
  name: 'assistant',
  instructions: '',
  model: scriptedModel() as never,
  tools: Object.fromEntries(tools.map((tool) => [tool.id, tool])),
})
const { text } = await agent.stream('go')
print(`answer: ${await text}`)
await runtime.close()
