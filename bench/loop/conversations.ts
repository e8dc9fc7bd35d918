import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createAgent } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { jsonSchema, type ModelMessage, stepCountIs, streamText, ToolLoopAgent, tool } from 'ai'

/** A conversation that keeps its history, as an agent does. */
export interface BenchConversation {
  runTurn(): Promise<void>
  /** The number of calls and results in the history. */
  countCalls(): number
}

/** One for each side. */
export const conversations = { curfew, streamText: withStreamText, ToolLoopAgent: withToolLoopAgent }

export type SideName = keyof typeof conversations

function curfew(model: LanguageModelV4): BenchConversation {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, loops: false })
  runtime.register(defineTool({ name: 'add', description: 'Add.', parameters, execute: sum }))
  const agent = createAgent({ model, runtime })
  return {
    async runTurn() {
      for await (const event of agent.send('Add.'))
        if (event.type === 'end' && event.reason !== 'answer') throw new Error(event.reason)
    },
    countCalls() {
      let count = 0
      for (const item of agent.getSnapshot().items)
        if (item.type === 'results') count += item.results.length
        else for (const { type } of item.parts) if (type === 'call') count++
      return count
    },
  }
}

function withStreamText(model: LanguageModelV4): BenchConversation {
  return keepMessages(async (messages) => {
    const result = streamText({ model, tools, messages, stopWhen: stepCountIs(10) })
    for await (const _part of result.fullStream);
    return await result.responseMessages
  })
}

function withToolLoopAgent(model: LanguageModelV4): BenchConversation {
  const agent = new ToolLoopAgent({ model, tools, stopWhen: stepCountIs(10) })
  return keepMessages(async (messages) => {
    const result = await agent.stream({ messages })
    for await (const _part of result.fullStream);
    return await result.responseMessages
  })
}

function keepMessages(
  respond: (messages: ModelMessage[]) => Promise<readonly ModelMessage[]>,
): BenchConversation {
  const messages: ModelMessage[] = []
  return {
    async runTurn() {
      messages.push({ role: 'user', content: 'Add.' })
      messages.push(...(await respond(messages)))
    },
    countCalls() {
      let count = 0
      for (const { content } of messages)
        if (typeof content !== 'string')
          for (const { type } of content) if (type === 'tool-call' || type === 'tool-result') count++
      return count
    },
  }
}

interface Numbers {
  readonly a: number
  readonly b: number
}

const parameters = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

const tools = {
  add: tool({ description: 'Add.', inputSchema: jsonSchema<Numbers>(parameters), execute: sum }),
}

async function sum({ a, b }: Numbers): Promise<number> {
  return a + b
}
