import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'

// Where this repository has the packages.
const bench = createRequire(new URL('../../../bench/package.json', import.meta.url))
const agentsMain = bench.resolve('@openai/agents')
const agents = bench(agentsMain)
const { z } = bench('zod')

/**
 * An `Agent` with a `MemorySession`, as in a command-line program.
 * `recommended`: `timeoutMs` of tools and `timeout` of MCP servers, which stay open.
 * `best`: the model reads all errors, and MCP servers are opened for each run; those that fail are left out.
 */
export default {
  name: 'OpenAI Agents JS',
  version: () => JSON.parse(readFileSync(agentsMain.replace(/dist.*/, 'package.json'))).version,
  features: {
    function: true,
    server: true,
    batch: true,
    cancel: true,
    approval: true,
    conversation: true,
    command: 'it runs no shell commands itself; programs bring a `Shell`',
    api: 'it makes no tools from descriptions of HTTP APIs',
    order: 'it runs all calls of a response at the same time, or at most a number of them',
    nesting: 'it has no way for a function tool to call another one',
    resume: 'it stores sessions in memory, or at OpenAI; programs bring other stores',
    list: 'it keeps no record of calls',
  },
  async open({ settings, limitMs, tools, servers, model, maxCalls, ask }) {
    const isBest = settings === 'best'
    if (isBest) process.env.OPENAI_AGENTS_DONT_LOG_TOOL_DATA = '0'
    const endpoint = { baseURL: model.url, apiKey: model.key, useResponses: false }
    const modelProvider = new agents.OpenAIProvider(endpoint)
    const functions = tools.map((one) => toTool(one, limitMs, isBest))
    const session = new agents.MemorySession()
    const names = functions.map(({ name }) => name)
    const best = {
      traceIncludeSensitiveData: false,
      toolNotFoundBehavior: 'return_error_to_model',
      toolErrorFormatter: ({ kind }) => (kind === 'tool_not_found' ? `Not found; use ${names}` : undefined),
    }
    const runner = new agents.Runner({ modelProvider, tracingDisabled: true, ...(isBest && best) })
    const errorFunction = isBest ? ({ error }) => describe(error) : undefined
    const mcpConfig = { includeServerInToolNames: true, errorFunction }
    let connected, mcpServers
    if (!isBest) await connect()
    async function connect() {
      const options = { env: process.env, timeout: limitMs, cacheToolsList: isBest }
      const all = servers.map((one) => new agents.MCPServerStdio({ ...one, ...options }))
      connected = await agents.connectMcpServers(all, isBest ? { connectInParallel: true } : {})
      const listing = connected.active.map(async (one) => (isBest ? (await one.listTools()) && one : one))
      mcpServers = (await Promise.allSettled(listing)).flatMap(({ value }) => value ?? [])
    }

    async function turn(prompt, signal) {
      const agent = new agents.Agent({ name: 'A', model: 'test', tools: functions, mcpServers, mcpConfig })
      const options = { session, signal, stream: true, ...(maxCalls !== null && { maxTurns: maxCalls }) }
      const cancelled = new Promise((resolve) => signal.addEventListener('abort', () => resolve(false)))
      for (let input = prompt; ; ) {
        const result = await runner.run(agent, input, options)
        for await (const _ of result);
        signal.throwIfAborted()
        await result.completed
        if (result.interruptions.length === 0) return String(result.finalOutput)
        for (const one of result.interruptions) {
          const allowed = await Promise.race([ask(one.name, one.arguments), cancelled])
          result.state[allowed ? 'approve' : 'reject'](one)
        }
        input = result.state
      }
    }

    return {
      async prompt(text, { signal }) {
        if (isBest) await connect()
        return await turn(text, signal).finally(() => (isBest ? connected.close() : undefined))
      },
      close: async () => connected?.close(),
    }
  },
}

const context = { output() {}, progress() {}, call: () => Promise.reject(new Error('not offered')) }
const describe = (error) => `The tool failed: ${inspect(error)}`.slice(0, 5_000)
const toTool = ({ name, description, parameters, needsApproval, execute }, timeoutMs, isBest) =>
  agents.tool({
    name,
    description,
    parameters: z.fromJSONSchema(parameters),
    timeoutMs,
    needsApproval,
    execute: (input, _, details) => execute(input, { ...context, signal: details?.signal }),
    ...(isBest && { errorFunction: (_, error) => describe(error) }),
  })
