import { dirname, join } from 'node:path'
import { isJsonObject } from '@curfew/core/internal'
import { claudeLocalChoices, claudeSharedChoices } from './agent-choices.ts'
import { fromClaude } from './dialects.ts'
import { readDocument } from './read-source.ts'
import { ancestors, homeOf, nearest, projectFiles, type Source, shared, source, valueAt } from './source.ts'

type Settings = Readonly<Record<string, unknown>>

export const claudeCode: Pick<Source, 'agent' | 'suffix' | 'dialect'> = {
  agent: 'Claude Code',
  suffix: 'claude',
  dialect: fromClaude,
}

/** The servers of the user, of this folder, and of the repository. */
export function claudeSources(cwd: string, env: Readonly<NodeJS.ProcessEnv>): readonly Source[] {
  const home = homeOf(env)
  const file = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')
  const claudeFolder = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  return [
    source({ ...claudeCode, file }),
    localSource(file, cwd),
    sharedSource(nearest(cwd, projectFiles('claude')[0]!, home), { cwd, file, claudeFolder }),
  ]
}

function localSource(file: string, cwd: string): Source {
  const choicesOf = (document: unknown): ReturnType<typeof claudeLocalChoices> =>
    claudeLocalChoices(projectsOf(document, ancestors(cwd)).slice(0, 1))
  return source({
    ...claudeCode,
    file,
    scope: 'project',
    placeIn: () => '"projects", this folder, "mcpServers"',
    pathIn(document) {
      const folder = ancestors(cwd).find((path) => isJsonObject(valueAt(document, ['projects', path])))
      return ['projects', folder ?? cwd, 'mcpServers']
    },
    choices: async (document) => choicesOf(document),
    disabledHere(document) {
      const servers = valueAt(document, ['mcpServers'])
      const choose = choicesOf(document)
      return isJsonObject(servers) ? Object.keys(servers).filter((name) => choose(name) === 'off') : []
    },
  })
}

function sharedSource(
  file: string,
  { cwd, file: userFile, claudeFolder }: { cwd: string; file: string; claudeFolder: string },
): Source {
  return source({
    ...claudeCode,
    file,
    ...shared,
    async choices() {
      const read = await readDocument(userFile)
      const folder = dirname(file)
      const within = ancestors(cwd).filter((path) => path === folder || path.startsWith(join(folder, '/')))
      const projects = projectsOf(read.kind === 'document' ? read.document : null, within)
      return await claudeSharedChoices(file, { claudeFolder, projects })
    },
  })
}

/** The entries of `~/.claude.json` for these folders. */
function projectsOf(document: unknown, folders: readonly string[]): readonly Settings[] {
  return folders.map((path) => valueAt(document, ['projects', path])).filter(isJsonObject)
}
