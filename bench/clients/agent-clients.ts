import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { responsesFormat } from '../../packages/torture/src/model-server/responses-format.ts'
import type { startModelServer } from '../../packages/torture/src/model-server/start-model-server.ts'
import type { GatewayTarget } from './stage.ts'

/** An agent program that runs one prompt and exits. */
export interface AgentClient {
  readonly package: string
  /** What its model speaks. */
  readonly format: Parameters<typeof startModelServer>[0]['format']
  /** Writes its configuration into `home`; returns how to start it. */
  prepare(options: AgentOptions): AgentCommand
}

export interface AgentOptions {
  readonly home: string
  readonly target: GatewayTarget
  /** The origin of the model's server. */
  readonly origin: string
  readonly prompt: string
}

export interface AgentCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export const agentNames = ['Claude Code', 'Gemini CLI', 'Codex', 'opencode'] as const
export type AgentName = (typeof agentNames)[number]

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))
const platform = `${process.platform}-${process.arch}`
const keyVariable = 'CURFEW_BENCH_TOKEN'

// The programs of the packages themselves, because their install scripts are not run.
export const agents: Readonly<Record<AgentName, AgentClient>> = {
  'Claude Code': {
    package: '@anthropic-ai/claude-code',
    format: 'anthropic',
    prepare({ home, target, origin, prompt }) {
      const curfew =
        'url' in target
          ? { type: 'http', url: target.url, headers: { Authorization: `Bearer ${target.token}` } }
          : { command: target.command, args: target.args }
      const file = write(home, 'mcp.json', JSON.stringify({ mcpServers: { curfew } }))
      const mcp = ['--mcp-config', file, '--strict-mcp-config', '--allowedTools', 'mcp__curfew']
      return {
        file: join(modules, `@anthropic-ai/claude-code-${platform}/claude`),
        args: ['-p', prompt, ...mcp],
        env: {
          ANTHROPIC_BASE_URL: origin,
          ANTHROPIC_API_KEY: 'test-key',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          ENABLE_TOOL_SEARCH: 'false',
        },
      }
    },
  },
  'Gemini CLI': {
    package: '@google/gemini-cli',
    format: 'google',
    prepare({ home, target, origin, prompt }) {
      const curfew =
        'url' in target
          ? { httpUrl: target.url, headers: { Authorization: `Bearer ${target.token}` }, trust: true }
          : { command: target.command, args: target.args, trust: true }
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        mcpServers: { curfew },
      }
      write(home, '.gemini/settings.json', JSON.stringify(settings))
      return {
        file: process.execPath,
        args: [join(modules, '@google/gemini-cli/bundle/gemini.js'), '-p', prompt],
        env: {
          GEMINI_API_KEY: 'test-key',
          GOOGLE_GEMINI_BASE_URL: origin,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
          GEMINI_CLI_NO_RELAUNCH: 'true',
        },
      }
    },
  },
  Codex: {
    package: '@openai/codex',
    format: responsesFormat,
    prepare({ home, target, origin, prompt }) {
      const server =
        'url' in target
          ? [`url = ${quoted(target.url)}`, `bearer_token_env_var = ${quoted(keyVariable)}`]
          : [
              `command = ${quoted(target.command)}`,
              `args = [${target.args.map(quoted).join(', ')}]`,
              'env_vars = ["CURFEW_TEST_TAG", "TMPDIR"]',
            ]
      const config = [
        'model = "test"',
        'model_provider = "bench"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.bench]',
        'name = "bench"',
        `base_url = ${quoted(`${origin}/v1`)}`,
        'wire_api = "responses"',
        '[mcp_servers.curfew]',
        ...server,
        'default_tools_approval_mode = "approve"',
      ]
      write(home, '.codex/config.toml', `${config.join('\n')}\n`)
      return {
        file: join(modules, `@openai/codex-${platform}/vendor/x86_64-unknown-linux-musl/bin/codex`),
        args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
        env: 'token' in target ? { [keyVariable]: target.token } : {},
      }
    },
  },
  opencode: {
    package: 'opencode-ai',
    format: 'openai',
    prepare({ home, target, origin, prompt }) {
      const curfew =
        'url' in target
          ? { type: 'remote', url: target.url, headers: { Authorization: `Bearer ${target.token}` } }
          : { type: 'local', command: [target.command, ...target.args] }
      const bench = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${origin}/v1`, apiKey: 'test-key' },
        models: { test: { tool_call: true } },
      }
      const config = { autoupdate: false, share: 'disabled', provider: { bench }, mcp: { curfew } }
      write(home, '.config/opencode/opencode.json', JSON.stringify(config))
      return {
        file: join(modules, `opencode-${platform}/bin/opencode`),
        args: ['run', '--model', 'bench/test', prompt],
        env: {
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        },
      }
    },
  },
}

function write(home: string, name: string, content: string): string {
  const file = join(home, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

/** A string of TOML. */
function quoted(text: string): string {
  return JSON.stringify(text)
}
