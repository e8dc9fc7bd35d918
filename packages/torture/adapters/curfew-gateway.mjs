import { execFileSync } from 'node:child_process'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { curfew, toConfig, toListed, writeFiles } from './curfew-files.mjs'

const noModel = 'the gateway serves an agent; "curfew -p" is one'
/** Curfew ends the calls. */
const never = 2_147_483_647

/** `curfew mcp`: one MCP server in front of all others, as an agent uses it. */
export default {
  name: 'Curfew (gateway)',
  version: () => execFileSync(process.execPath, [curfew, '--version'], { encoding: 'utf8' }).trim(),
  features: {
    function: true,
    command: true,
    server: true,
    api: true,
    batch: true,
    cancel: true,
    approval: true,
    list: true,
    order: 'the client decides when it sends a call; MCP has no responses of a model',
    nesting: 'tools of MCP servers and files cannot call other tools',
    conversation: noModel,
    resume: noModel,
  },
  async open(setup) {
    const { settings, folder, toolServer, servers, apis, limitMs, started, ask } = setup
    const { project, env } = writeFiles(folder, {
      settings,
      servers: [toolServer, ...servers],
      apis,
      config: toConfig(setup),
    })
    const client = new Client(
      { name: 'tool-torture', version: '1.0.0' },
      { capabilities: { elicitation: { form: {} } } },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const choices = params.requestedSchema.properties.answer.enum
      const answer = (await ask('', params.message)) ? choices[0] : choices.at(-1)
      return { action: 'accept', content: { answer } }
    })
    const args = [curfew, 'mcp', '--builtins']
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      cwd: project,
      stderr: 'ignore',
    })
    await client.connect(transport)
    started(transport.pid)
    await client.listTools()

    const isApi = new Set(apis.map(({ name }) => name))
    const isTool = new Set(setup.tools.map(({ name }) => name))
    function nameOf(name) {
      if (isApi.has(name)) return `api_${name}`
      return isTool.has(name) ? `mcp__torture__${name}` : name.replace(/^(.+)\/(.+)$/, 'mcp__$1__$2')
    }
    async function call({ id, name, params }, { signal }) {
      try {
        const request = { name: nameOf(name), arguments: JSON.parse(params) }
        const { content, isError = false } = await client.callTool(request, { signal, timeout: never })
        return { id, text: content.map(({ text }) => text ?? '').join('\n'), isError }
      } catch (error) {
        // What the client or the gateway rejects is an error that an agent shows its model.
        return { id, text: String(error.message), isError: true }
      }
    }
    return {
      run: (calls, options) => Promise.all(calls.map((one) => call(one, options))),
      command: (command, options) => {
        const params = JSON.stringify({ command_args: ['sh', '-c', command], seconds: limitMs / 1_000 })
        return call({ id: 'command', name: 'timeout', params }, options)
      },
      async list() {
        const lines = execFileSync(process.execPath, [curfew, 'log', '--json', '-n', '0'], {
          cwd: project,
          env,
          encoding: 'utf8',
        })
        return lines
          .split('\n')
          .filter(Boolean)
          .map((line) => toListed(JSON.parse(line)))
      },
      close: () => client.close(),
    }
  },
}
