import { createRequire } from 'node:module'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isStepCount, ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'

// Where this repository has the package.
const bench = createRequire(new URL('../../../bench/package.json', import.meta.url))
const { createMCPClient } = bench('@ai-sdk/mcp')
const { Experimental_StdioMCPTransport: StdioTransport } = bench('@ai-sdk/mcp/mcp-stdio')

/**
 * A `ToolLoopAgent` whose messages are kept in memory, as in a command-line program.
 * `recommended`: `timeout.toolMs`, and MCP clients that stay open.
 * `best`: limits for steps and chunks as well, and MCP clients with limits that are opened for each prompt.
 */
export default {
  name: 'AI SDK',
  version: () => createRequire(import.meta.url)('ai/package.json').version,
  features: {
    function: true,
    server: true,
    batch: true,
    cancel: true,
    approval: true,
    conversation: true,
    command: 'it runs no shell commands; programs bring a tool for it',
    api: 'it makes no tools from descriptions of HTTP APIs',
    order: 'it runs all calls of a response at the same time, or at most a number of them',
    nesting: 'it has no way for a tool to call another one',
    resume: 'it stores no conversation; programs do',
    list: 'it keeps no record of calls',
  },
  async open({ settings, limitMs, tools, servers, model, maxCalls, ask }) {
    const isBest = settings === 'best'
    const provider = createOpenAICompatible({ name: 'scripted', baseURL: model.url, apiKey: model.key })
    const functions = Object.fromEntries(tools.map((one) => [one.name, toTool(one)]))
    const asked = tools.flatMap(({ name, needsApproval }) => (needsApproval ? [[name, 'user-approval']] : []))
    let messages = []
    let clients = isBest ? [] : await connect()

    async function turn(prompt, signal) {
      const agent = new ToolLoopAgent({
        model: provider('scripted'),
        tools: Object.assign({}, functions, ...clients.map(({ tools }) => tools)),
        toolApproval: Object.fromEntries(asked),
        timeout: { toolMs: limitMs, ...(isBest && { stepMs: limitMs + 20_000, chunkMs: 10_000 }) },
        ...(maxCalls !== null && { stopWhen: isStepCount(maxCalls) }),
      })
      const history = [...messages, { role: 'user', content: prompt }]
      for (let answers = null; answers === null || answers.length > 0; ) {
        if (answers !== null) history.push({ role: 'tool', content: await Promise.all(answers) })
        const result = await agent.stream({ messages: history, abortSignal: signal })
        answers = []
        for await (const part of result.stream) {
          if (part.type === 'error' || part.type === 'abort') throw part.error ?? new Error(part.reason)
          if (part.type === 'tool-approval-request' && !part.isAutomatic) answers.push(answer(part, signal))
        }
        history.push(...(await result.responseMessages))
      }
      messages = history
      return 'done'
    }
    async function answer({ approvalId, toolCall }, signal) {
      const cancelled = new Promise((resolve) => signal.addEventListener('abort', () => resolve(false)))
      const approved = await Promise.race([ask(toolCall.toolName, toolCall.input), cancelled])
      return { type: 'tool-approval-response', approvalId, approved }
    }

    /** A server that cannot be used is left out. */
    async function connect() {
      const timeout = isBest ? 5_000 : undefined
      const connecting = servers.map(async ({ name, command, args }) => {
        const transport = new StdioTransport({ command, args: [...args], env: process.env, stderr: 'ignore' })
        const client = await createMCPClient({ transport, initializationOptions: { timeout } })
        const found = Object.entries(
          client.toolsFromDefinitions(await client.listTools({ options: { timeout } })),
        )
        return { client, tools: Object.fromEntries(found.map(([tool, one]) => [`${name}_${tool}`, one])) }
      })
      return (await Promise.allSettled(connecting)).flatMap(({ value }) => value ?? [])
    }
    const disconnect = () => Promise.all(clients.map(({ client }) => client.close()))
    return {
      async prompt(text, { signal }) {
        if (isBest) clients = await connect()
        return await turn(text, signal).finally(() => (isBest ? disconnect() : undefined))
      },
      close: () => disconnect(),
    }
  },
}

const context = { output() {}, progress() {}, call: () => Promise.reject(new Error('not offered')) }
const toTool = ({ description, parameters, execute }) =>
  tool({
    description,
    inputSchema: z.fromJSONSchema(parameters),
    execute: (input, { abortSignal }) => execute(input, { ...context, signal: abortSignal }),
  })
