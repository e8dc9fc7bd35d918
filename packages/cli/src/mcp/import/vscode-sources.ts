import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { approvalUnknown } from './agent-choices.ts'
import { fromVscode } from './from-vscode.ts'
import { isRecord } from './is-record.ts'
import {
  homeOf,
  nearest,
  projectFiles,
  type Source,
  settingsFolder,
  shared,
  shortNamed,
  source,
  valueAt,
} from './source.ts'

/** Programs with their folders of settings. */
const editions = [
  ['VS Code', 'Code'],
  ['VS Code Insiders', 'Code - Insiders'],
  ['VSCodium', 'VSCodium'],
] as const

const maxProfiles = 50

export const vscode: Pick<Source, 'agent' | 'suffix' | 'dialect' | 'pathIn' | 'curfewEntry'> = {
  agent: 'VS Code',
  suffix: 'vscode',
  dialect: fromVscode,
  // Before version 1.102, the servers were in settings.json.
  pathIn: (document) => (isRecord(valueAt(document, ['mcp', 'servers'])) ? ['mcp', 'servers'] : ['servers']),
  curfewEntry: (own) => ({ type: 'stdio', ...shortNamed(own) }),
}

/** The user's files of each edition and profile, and the workspace's. */
export function vscodeSources(cwd: string, env: Readonly<NodeJS.ProcessEnv>): readonly Source[] {
  const home = homeOf(env)
  const isRepository = { ...shared, choices: async () => approvalUnknown }
  const remote = join(home, '.vscode-server/data/User')
  return [
    ...editions.flatMap(([agent, name]) => userSources(agent, join(settingsFolder(env), name, 'User'), home)),
    ...userSources('VS Code Server', remote, home),
    ...projectFiles('vscode').map((path) =>
      source({ ...vscode, file: nearest(cwd, path, home), ...isRepository }),
    ),
  ]
}

function userSources(agent: string, folder: string, home: string): readonly Source[] {
  const filesIn = (label: string, path: string): readonly Source[] =>
    ['mcp.json', 'settings.json'].map((name) =>
      source({ ...vscode, agent: label, file: join(path, name), folder: home }),
    )
  const profiles = profilesIn(join(folder, 'profiles'))
  return [
    ...filesIn(agent, folder),
    ...profiles.flatMap((id) => filesIn(`${agent} (profile ${id})`, join(folder, 'profiles', id))),
  ]
}

function profilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort().slice(0, maxProfiles)
  } catch {
    return []
  }
}
