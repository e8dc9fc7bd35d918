import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '@curfew/core/internal'
import { isKeyName } from '../../secret/looks-like-key.ts'
import { secretNameFor } from '../plain-keys.ts'
import { approvalUnknown } from './agent-choices.ts'
import type { ServerContext } from './dialects.ts'
import { expandEditorVariables } from './editor-variables.ts'
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
import { literal, type Position, type Translated, Translation } from './translation.ts'

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
  pathIn: (document) =>
    isJsonObject(valueAt(document, ['mcp', 'servers'])) ? ['mcp', 'servers'] : ['servers'],
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

/** Keys that do not affect how the server is started. */
const editorKeys = ['dev', 'gallery', 'version'] as const

/** Asks for values (`${input:ID}`): passwords become secrets, everything else variables. */
export function fromVscode(server: Readonly<Record<string, unknown>>, context: ServerContext): Translated {
  const translation = new Translation(withoutNulls(server))
  translation.common()
  translation.oauth({ clientId: 'clientId' })
  translation.unsupported('envFile', 'put the variables of that file into "env"')
  if (translation.take('sandboxEnabled') === true)
    translation.note('warning: "sandboxEnabled" is not supported; the server runs without a sandbox')
  for (const key of editorKeys) translation.take(key)
  const unsupported = new Set<string>()
  expandEditorVariables(translation, context, (inside, position, before, after) => {
    if (inside === 'cwd') return literal(context.folder)
    const [, id] = /^input:(.+)$/.exec(inside) ?? []
    if (id !== undefined) return askedValue(translation, context, { id, position, before, after })
    if (/^(?:command|config|file|exec|selected|lineNumber|default)/.test(inside))
      unsupported.add(`\${${inside}}`)
    return literal(`\${${inside}}`)
  })
  if (unsupported.size > 0)
    translation.note(`warning: ${[...unsupported].join(', ')} is not supported; write the value instead`)
  return translation.end()
}

interface AskedValue {
  readonly id: string
  readonly position: Position
  readonly before: string
  readonly after: string
}

/** A variable may be set anywhere; a secret, only where Curfew accepts one. */
function askedValue(
  translation: Translation,
  { document }: ServerContext,
  { id, position, before, after }: AskedValue,
): string {
  const name = secretNameFor('', id)
  const input = inputsIn(document).find((one) => one.id === id)
  const origin = `the input ${JSON.stringify(id)}`
  const isKey = input === undefined || input.password === true || isKeyName(id)
  const acceptsSecret = position.field !== 'command' && position.field !== 'cwd'
  if (isKey && acceptsSecret) return translation.secret({ name, origin, file: null }, position, before, after)
  const initial = input?.default
  if (typeof initial === 'string' && !/[$}]/.test(initial)) {
    translation.note(`${origin} has its default; to change it, set the variable ${name}`)
    return `\${${name}:-${initial}}`
  }
  translation.note(`${origin} is now the variable ${name}; set it, or write the value instead`)
  return `\${${name}}`
}

/** In `mcp.json`, or in the older place in `settings.json`. */
function inputsIn(document: unknown): readonly Readonly<Record<string, unknown>>[] {
  const inputs = valueAt(document, ['inputs']) ?? valueAt(document, ['mcp', 'inputs'])
  return Array.isArray(inputs) ? inputs.filter(isJsonObject) : []
}

/** A variable that is `null` is not set. */
function withoutNulls(server: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!isJsonObject(server.env)) return server
  return {
    ...server,
    env: Object.fromEntries(Object.entries(server.env).filter(([, value]) => value !== null)),
  }
}
