import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ModelServer,
  type Reply,
  startModelServer,
} from '../../packages/torture/src/model-server/start-model-server.ts'

/** The agents that `npm run bench:setup` installs. */
export const realAgents = ['claude', 'gemini'] as const
export type RealAgent = (typeof realAgents)[number]

const modules = fileURLToPath(new URL('../../bench/node_modules/', import.meta.url))
const programs: Readonly<Record<RealAgent, string>> = {
  // The command of its main package works only after its install script, which is not run.
  claude: join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
  gemini: join(modules, '.bin/gemini'),
}

export interface PreparedAgent {
  /** For `externalAgents`. */
  readonly command: readonly [string, ...string[]]
  readonly server: ModelServer
  /** Contains everything that the program saves. */
  readonly home: string
}

/** Why a real agent cannot be run; `null` if it can. */
export function whyNotInstalled(name: RealAgent): string | null {
  return existsSync(programs[name]) ? null : `${name} is not installed; run: npm run bench:setup`
}

/** A real agent program with a home of its own, whose model is a server on the loopback interface. `tag` marks all its processes. */
export async function prepareRealAgent(
  name: RealAgent,
  tag: string,
  reply: () => Reply,
): Promise<PreparedAgent> {
  const server = await startModelServer({
    format: name === 'claude' ? 'anthropic' : 'google',
    script: reply,
    requiresKey: false,
    validates: false,
  })
  const home = mkdtempSync(join(tmpdir(), `curfew-${name}-`))
  const { origin } = new URL(server.url)
  const variables = { HOME: home, TMPDIR: home, CURFEW_TEST_TAG: tag, ...settings[name](origin, home) }
  const assignments = Object.entries(variables).map(([key, value]) => `${key}=${value}`)
  return { command: ['env', ...assignments, programs[name]], server, home }
}

const settings: Readonly<Record<RealAgent, (origin: string, home: string) => Record<string, string>>> = {
  claude: (origin) => ({
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: 'test-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  gemini: (origin, home) => {
    mkdirSync(join(home, '.gemini'))
    const chosen = { security: { auth: { selectedType: 'gemini-api-key' } } }
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(chosen))
    return {
      GEMINI_API_KEY: 'test-key',
      GOOGLE_GEMINI_BASE_URL: origin,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }
  },
}
