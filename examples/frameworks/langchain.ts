// LangChain with the tools of a runtime.
import type { ToolRunnableConfig } from '@langchain/core/tools'
import { AIMessage, createAgent, fakeModel, ToolMessage, tool } from 'langchain'
import { calls, print, runtime } from './tools.ts'

// begin
const turn = runtime.conversation().turn()
const tools = turn.conversation
  .listTools()
  .map(({ name, description = '', parameters = {} }) =>
    tool(
      async (params, { toolCall, signal }: ToolRunnableConfig) =>
        (await turn.run({ id: toolCall?.id ?? '', name, params }, { signal })).content,
      { name, description, schema: parameters },
    ),
  )
// end

// Stands in for a model: calls the tools once, and then prints what it reads.
const model = fakeModel()
  .respondWithTools(calls.map(({ id, name, params }) => ({ id, name, args: params })))
  .respond((messages) => {
    for (const message of messages.filter((message) => ToolMessage.isInstance(message)))
      print(`${message.tool_call_id}: ${message.text}`)
    return new AIMessage('done')
  })

const { messages } = await createAgent({ model, tools }).invoke({ messages: 'go' })
print(`answer: ${messages.at(-1)?.text}`)
await runtime.close()
