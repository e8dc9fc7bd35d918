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
 * `best`: the signal of each response is aborted at the limit as well, unless somebody is asked.
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
    const toServer = ({ name, command, args }) => [
      name,
      { command, args: [...args], timeout: limitMs, trust: true },
    ]
    const isLimited = settings === 'best' && free.length === tools.length
    const mcpServers = Object.fromEntries(servers.map(toServer))
    const policy = { tools: { allowed: [...free, 'run_shell_command'] }, mcpServers }
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
    // Like the program, it starts although a server is slow.
    await Promise.race([config.waitForMcpInit(), new Promise((resolve) => setTimeout(resolve, 10_000))])
    const messageBus = config.getMessageBus()
    for (const tool of tools) config.getToolRegistry().registerTool(new Tool(tool, messageBus))
    const asked = new Set()
    messageBus.subscribe(core.MessageBusType.TOOL_CALLS_UPDATE, ({ toolCalls }) => {
      for (const { status, correlationId, request } of toolCalls) {
        if (status !== 'awaiting_approval' || asked.has(correlationId)) continue
        asked.add(correlationId)
        const type = core.MessageBusType.TOOL_CONFIRMATION_RESPONSE
        ask(request.name, request.args).then((confirmed) =>
          messageBus.publish({ type, correlationId, confirmed }),
        )
      }
    })

    async function run(calls, { signal }) {
      const requests = calls.map(({ id: callId, name, params }) => {
        const qualified = name.includes('/') ? `mcp_${name.replace('/', '_')}` : name
        return {
          callId,
          name: qualified,
          args: parse(params),
          isClientInitiated: false,
          prompt_id: 'torture',
        }
      })
      const context = { context: config, messageBus, getPreferredEditor: () => undefined }
      const scheduler = new core.Scheduler({ ...context, schedulerId: crypto.randomUUID() })
      const limited = isLimited ? AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) : signal
      const completed = await scheduler.schedule(requests, limited).finally(() => scheduler.dispose())
      return completed.map(({ request, status, response: { responseParts } }) => {
        const { response } = responseParts[0].functionResponse
        const text =
          typeof response.output === 'string' && !response.error ? response.output : JSON.stringify(response)
        return { id: request.callId, text, isError: status !== 'success' }
      })
    }

    return {
      run,
      command: async (command, options) =>
        (
          await run(
            [{ id: 'command', name: 'run_shell_command', params: JSON.stringify({ command }) }],
            options,
          )
        )[0],
      close: () => config.dispose(),
    }
  },
}

/** Google's protocol has objects where others have JSON. */
function parse(params) {
  try {
    return JSON.parse(params)
  } catch {
    return params
  }
}

class Tool extends core.BaseDeclarativeTool {
  constructor({ name, description, parameters, execute }, bus) {
    super(name, name, description, core.Kind.Other, parameters, bus)
    this.createInvocation = (params, bus) =>
      Object.assign(new Invocation(params, bus, name, name), { run: execute })
  }
}
class Invocation extends core.BaseToolInvocation {
  getDescription = () => this._toolName
  async execute({ abortSignal: signal, updateOutput: output = () => {} }) {
    const value = await this.run(this.params, { signal, output, progress() {} })
    const llmContent = typeof value === 'string' ? value : JSON.stringify(value)
    return { llmContent, returnDisplay: llmContent }
  }
}
