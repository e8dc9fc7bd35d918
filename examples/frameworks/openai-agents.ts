// OpenAI Agents with the tools of a runtime.
import { Agent, type Model, run, setTracingDisabled, tool, Usage } from '@openai/agents'
import { calls, print, runtime } from './tools.ts'

// begin
const turn = runtime.conversation().turn()
const tools = turn.conversation.listTools().map(({ name, description = '', parameters }) => {
  const definition = { name, description, parameters: parameters as never, strict: false } as const
  return tool({
    ...definition,
    execute: async (params, _context, { toolCall, signal } = {}) =>
      (await turn.run({ id: toolCall?.callId ?? '', name, params }, { signal })).content,
  })
})
// end

// Stands in for a model: calls the tools once, and then prints what it reads.
const model: Model = {
  async getResponse({ input }) {
    const results =
      typeof input === 'string' ? [] : input.filter((item) => item.type === 'function_call_result')
    for (const { callId, output } of results) print(`${callId}: ${(output as { text: string }).text}`)
    const answer = { type: 'message', role: 'assistant', status: 'completed' } as const
    return {
      usage: new Usage(),
      output:
        results.length > 0
          ? [{ ...answer, content: [{ type: 'output_text', text: 'done' }] }]
          : calls.map(({ id, name, params }) => ({
              type: 'function_call',
              callId: id,
              name,
              arguments: JSON.stringify(params),
            })),
    }
  },
  async *getStreamedResponse() {},
}

setTracingDisabled(true)
const { finalOutput } = await run(new Agent({ name: 'assistant', model, tools }), 'go')
print(`answer: ${finalOutput}`)
await runtime.close()
