import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// Where this repository has the package. It reads its settings when it is loaded.
const bench = createRequire(new URL('../../../bench/package.json', import.meta.url))
const main = bench.resolve('@google/gemini-cli-core')
process.env.GEMINI_CLI_HOME = process.cwd()
const core = await import(main)

/**
 * The scheduler of Gemini CLI with tools of the program, its shell tool and its MCP clients.
 * `recommended`: the inactivity timeout of the shell tool, and the timeout of MCP servers.
 * `best`: the signal of a response is aborted soon after the limit as well, unless somebody is asked.
 */
export default {
  name: 'Gemini CLI core',
  version: () => JSON.parse(readFileSync(main.replace(/dist.*/, 'package.json'))).version,
  features: {
    function: true,
    command: true,
    server: true,
    batch: true,
    cancel: true,
    approval: true,
    api: 'it makes no tools from descriptions of HTTP APIs',
    order: 'it runs calls at the same time unless the model sets `wait_for_previous`',
    conversation: 'its loop is part of the command-line program, and talks to Google only',
    nesting: 'it has no way for a tool to call another one',
    resume: 'its loop is part of the command-line program',
    list: 'it keeps no record of calls',
  },
  async open({ settings, folder, limitMs, tools, servers, ask }) {
    const free = tools.filter(({ needsApproval }) => !needsApproval).map(({ name }) => name)
    const isLimited = settings === 'best' && free.length === tools.length
    const toServer = ({ name, ...rest }) => [name, { ...rest, timeout: limitMs, trust: true }]
    const mcpServers = Object.fromEntries(servers.map(toServer))
    const policy = { tools: { allowed: [...free, core.SHELL_TOOL_NAME] }, mcpServers }
    const config = new core.Config({
      sessionId: 'torture',
      targetDir: folder,
      cwd: folder,
      model: 'gemini-2.5-flash',
      usageStatisticsEnabled: false,
      interactive: true,
      policyEngineConfig: await core.createPolicyEngineConfig(policy, core.ApprovalMode.DEFAULT),
      shellToolInactivityTimeout: limitMs / 1_000,
      mcpServers,
    })
    await config.initialize()
    await Promise.race([config.waitForMcpInit(), new Promise((resolve) => setTimeout(resolve, 10_000))])
    const messageBus = config.getMessageBus()
    for (const tool of tools) config.getToolRegistry().registerTool(new Tool(tool, messageBus))
    const asked = new Set()
    messageBus.subscribe(core.MessageBusType.TOOL_CALLS_UPDATE, ({ toolCalls }) => {
      for (const { status, correlationId, request } of toolCalls) {
        if (status !== 'awaiting_approval' || asked.has(correlationId)) continue
        asked.add(correlationId)
        const answer = { type: core.MessageBusType.TOOL_CONFIRMATION_RESPONSE, correlationId }
        // The shell tool asks about redirections although it is allowed.
        const answered = request.name === core.SHELL_TOOL_NAME ? Promise.resolve(true) : ask(request.name)
        answered.then((confirmed) => messageBus.publish({ ...answer, confirmed }))
      }
    })
    async function run(calls, { signal }) {
      const context = { context: config, messageBus, getPreferredEditor: () => undefined }
      const scheduler = new core.Scheduler({ ...context, schedulerId: crypto.randomUUID() })
      const limited = isLimited ? AbortSignal.any([signal, AbortSignal.timeout(limitMs + 200)]) : signal
      const completed = await scheduler.schedule(calls.map(toRequest), limited)
      scheduler.dispose()
      return completed.map(({ request, status, response }) => {
        const { output, error } = response.responseParts[0].functionResponse.response
        return { id: request.callId, text: `${output ?? ''}${error ?? ''}`, isError: status !== 'success' }
      })
    }
    const shell = (command) => ({ id: '1', name: core.SHELL_TOOL_NAME, params: JSON.stringify({ command }) })
    const command = async (text, options) => (await run([shell(text)], options))[0]
    return { run, command, close: () => config.dispose() }
  },
}
function toRequest({ id: callId, name, params }) {
  const request = { callId, args: params, isClientInitiated: false, prompt_id: 'torture' }
  try {
    request.args = JSON.parse(params)
  } catch {} // Google's protocol has objects where others have JSON, so this cannot happen with it.
  return { ...request, name: name.includes('/') ? `mcp_${name.replace('/', '_')}` : name }
}
class Tool extends core.BaseDeclarativeTool {
  constructor({ name, description, parameters, execute }, messageBus) {
    super(name, name, description, core.Kind.Other, parameters, messageBus)
    this.createInvocation = (args, bus) => Object.assign(new Invocation(args, bus, name), { run: execute })
  }
}
class Invocation extends core.BaseToolInvocation {
  getDescription = () => this._toolName
  async execute({ abortSignal: signal, updateOutput: output = () => {} }) {
    const value = await this.run(this.params, { signal, output, progress() {} })
    const llmContent = typeof value === 'string' ? value : String(JSON.stringify(value))
    return { llmContent, returnDisplay: llmContent }
  }
}
