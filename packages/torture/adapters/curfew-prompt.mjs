import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { curfew, toConfig, toListed, writeFiles } from './curfew-files.mjs'

/** The model of each format, and the variables with which its key is sent to the suite's server. */
const models = {
  openai: ({ url, key }) => ['openai-compatible:test-model', { OPENAI_BASE_URL: url, OPENAI_API_KEY: key }],
  anthropic: ({ url, key }) => [`anthropic:claude-sonnet-4-5@${url}`, { ANTHROPIC_API_KEY: key }],
  google: ({ url, key }) => [`google:gemini-3-pro-preview@${url}`, { GEMINI_API_KEY: key }],
}

/** `curfew -p`: each prompt is a process, which continues the conversation of the one before. */
export default {
  name: 'Curfew (-p)',
  version: () => execFileSync(process.execPath, [curfew, '--version'], { encoding: 'utf8' }).trim(),
  features: {
    function: true,
    command: true,
    server: true,
    api: true,
    batch: true,
    order: true,
    cancel: true,
    conversation: true,
    resume: true,
    list: true,
    approval: 'without a terminal there is nobody to ask, so the call is denied',
    nesting: 'tools of MCP servers and files cannot call other tools',
  },
  // Each prompt starts the servers anew, when their first call is made.
  minLimitMs: () => 4_000,
  commandCall: (command, limitMs) => ({
    name: 'run_command',
    params: { command, timeout_seconds: limitMs / 1_000 },
  }),
  async open(setup) {
    const { settings, folder, toolServer, servers, apis, model, started } = setup
    const { project, env } = writeFiles(folder, {
      settings,
      servers: [toolServer, ...servers],
      apis,
      config: toConfig(setup),
    })
    const [modelName, variables] = models[model.format](model)
    const options = { cwd: project, env: { ...env, ...variables } }
    let hasConversation = setup.resume
    let last = Promise.resolve()

    async function prompt(text, signal) {
      const args = ['-p', text, '--model', modelName, ...(hasConversation ? ['--continue'] : [])]
      hasConversation = true
      const child = spawn(process.execPath, [curfew, ...args], {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      started(child.pid)
      const output = { stdout: '', stderr: '' }
      for (const stream of ['stdout', 'stderr'])
        child[stream].on('data', (chunk) => {
          output[stream] = (output[stream] + chunk).slice(-100_000)
        })
      const interrupt = () => child.kill('SIGINT')
      if (signal.aborted) interrupt()
      signal.addEventListener('abort', interrupt)
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`exit code ${code}: ${output.stderr.slice(-1_000)}`)
      return output.stdout
    }
    return {
      prompt(text, { signal }) {
        // The process before may still be ending.
        const answer = last.then(() => prompt(text, signal))
        last = answer.catch(() => {})
        return answer
      },
      async list() {
        const lines = execFileSync(process.execPath, [curfew, 'log', '--json', '-n', '0'], {
          ...options,
          encoding: 'utf8',
        })
        return lines
          .split('\n')
          .filter(Boolean)
          .map((line) => toListed(JSON.parse(line)))
      },
      close: () => last,
    }
  },
}
