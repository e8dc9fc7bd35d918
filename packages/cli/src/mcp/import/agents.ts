import { dirname, join } from 'node:path'
import { approvalUnknown, type Choices, codexProjectChoices, geminiChoices } from './agent-choices.ts'
import { claudeCode, claudeDesktop, claudeSources } from './claude-sources.ts'
import { fromCodex, fromCursor, fromGemini } from './dialects.ts'
import { homeOf, nearest, type Source, shared, source } from './source.ts'

export type AgentName = 'claude' | 'cursor' | 'codex' | 'gemini'

export const agentNames: readonly AgentName[] = ['claude', 'cursor', 'codex', 'gemini']

/** The files that may contain an agent's servers for this folder. */
export function sourcesOf(
  agent: AgentName,
  cwd: string,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly Source[] {
  const home = homeOf(env)
  switch (agent) {
    case 'claude':
      return claudeSources(cwd, env)
    case 'cursor':
      return [
        source({ ...cursor, file: join(home, '.cursor/mcp.json') }),
        source({
          ...cursor,
          file: nearest(cwd, '.cursor/mcp.json', home),
          ...shared,
          choices: async () => approvalUnknown,
        }),
      ]
    case 'codex':
      return codexSources(
        join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
        nearest(cwd, '.codex/config.toml', home),
      )
    case 'gemini':
      return geminiSources(
        join(home, '.gemini/settings.json'),
        nearest(cwd, '.gemini/settings.json', home),
        home,
      )
  }
}

/** The source for `--file`. Without an agent, it depends on the extension. */
export function sourceFor(file: string, agent: AgentName | undefined): Source {
  switch (agent ?? (file.endsWith('.toml') ? 'codex' : undefined)) {
    case 'codex':
      return source({ ...codex, file })
    case 'cursor':
      return source({ ...cursor, file })
    case 'gemini':
      return source({ ...gemini, file, choices: () => geminiChoices([file], homeOf(process.env), null) })
    case 'claude': {
      const isDesktop = file.endsWith('claude_desktop_config.json')
      return source({ ...(isDesktop ? claudeDesktop : claudeCode), agent: 'Claude', file })
    }
    default:
      return source({ ...claudeCode, agent: '', suffix: 'other', file })
  }
}

const cursor = { agent: 'Cursor', suffix: 'cursor', dialect: fromCursor }
const gemini = { agent: 'Gemini CLI', suffix: 'gemini', dialect: fromGemini }
const codex = {
  agent: 'Codex',
  suffix: 'codex',
  dialect: fromCodex,
  place: '[mcp_servers]',
  pathIn: () => ['mcp_servers'],
}

function codexSources(user: string, project: string): readonly Source[] {
  const choices = (): Promise<Choices> => codexProjectChoices(user, dirname(dirname(project)))
  return [source({ ...codex, file: user }), source({ ...codex, file: project, ...shared, choices })]
}

function geminiSources(user: string, project: string, home: string): readonly Source[] {
  const folder = dirname(dirname(project))
  const choicesFor =
    (projectFolder: string | null): Source['choices'] =>
    () =>
      geminiChoices([user, project], home, projectFolder)
  return [
    source({ ...gemini, file: user, choices: choicesFor(null) }),
    source({ ...gemini, file: project, ...shared, choices: choicesFor(folder) }),
  ]
}
