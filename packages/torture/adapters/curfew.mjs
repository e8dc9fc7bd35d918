import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, timeoutTool } from '@curfew/core'
import { configRoots, loadExtensions } from '@curfew/extensions'
import { openJournal, readJournal } from '@curfew/journal'
import { openUpstreams, upstreamTools } from '@curfew/mcp'
import { loadServers } from '@curfew/mcp/config'
import { defineFunctionTool, defineThreadTool } from './curfew-define-tool.mjs'
import { toListed, writeFiles } from './curfew-files.mjs'

const noModel = 'the library runs calls; "curfew -p" is the agent'

/** Curfew as a library. */
export default {
  name: 'Curfew (library)',
  version: () =>
    JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@curfew/core')), 'utf8')).version,
  features: {
    function: true,
    command: true,
    server: true,
    api: true,
    batch: true,
    order: true,
    cancel: true,
    approval: true,
    nesting: true,
    list: true,
    conversation: noModel,
    resume: noModel,
  },
  // Each thread loads its modules within the limit.
  minLimitMs: (settings) => (settings === 'best' ? 4_000 : 0),
  async open({ settings, folder, limitMs, tools, servers, apis, ask, ended }) {
    const { project: cwd, env } = writeFiles(folder, { settings, servers, apis })
    const { tools: apiTools } = await loadExtensions({ cwd, env })
    const upstreams = await openUpstreams((await loadServers(configRoots({ cwd, env }))).servers, {
      stateFolder: join(folder, 'mcp'),
      log: () => {},
    })
    // A server that does not start must not keep the others from being used.
    await Promise.all(
      upstreams.map((upstream) => upstream.refresh(AbortSignal.timeout(5_000)).catch(() => {})),
    )

    const runtime = createRuntime({
      toolCallTimeout: limitMs,
      approval: {
        default: 'allow',
        rules: { ask: tools.filter((tool) => tool.needsApproval).map(({ name }) => name) },
      },
      ask: async ({ tool, params }) => ((await ask(tool, params)) ? 'once' : 'no'),
      log: () => {},
    })
    runtime.onTransition(({ id, state, call }) => 'result' in state && call.parentUid === null && ended(id))
    const defineOne = settings === 'best' ? defineThreadTool : defineFunctionTool
    runtime.register(
      timeoutTool,
      tools.map(defineOne),
      apiTools.map(({ tool }) => tool),
    )
    for (const upstream of upstreams) runtime.register(upstreamTools(upstream).map(({ tool }) => tool))

    const place = { stateFolder: join(folder, 'state'), project: cwd }
    const journal = await openJournal({ ...place, program: 'tool-torture', warn: () => {} })
    journal.attach(runtime)

    const isApi = new Set(apis.map(({ name }) => name))
    const nameOf = (name) => (isApi.has(name) ? `api_${name}` : name.replace(/^(.+)\/(.+)$/, 'mcp__$1__$2'))
    const toCall = ({ id, name, params }) => ({ id, name: nameOf(name), params: parse(params) })
    const toResult = ({ id, content, status }) => ({ id, text: content, isError: status !== 'success' })
    const execute = async (calls, { signal }) => (await runtime.execute(calls, { signal })).map(toResult)
    return {
      run: (calls, options) => execute(calls.map(toCall), options),
      async command(command, options) {
        const params = { command_args: ['sh', '-c', command], seconds: limitMs / 1_000 }
        return (await execute([{ id: 'command', name: 'timeout', params }], options))[0]
      },
      list: () => [...readJournal(place).calls()].map(toListed),
      async close() {
        await runtime.close()
        await Promise.all(upstreams.map((upstream) => upstream.close()))
        await journal.close()
      },
    }
  },
}

// A tool may replace the global for a while.
const { parse: parseJson } = JSON

/** What is no JSON is passed on, so that Curfew tells the model what is wrong. */
function parse(params) {
  try {
    return parseJson(params)
  } catch {
    return params
  }
}
