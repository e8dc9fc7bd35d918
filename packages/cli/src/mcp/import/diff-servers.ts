import { isJsonObject } from '@curfew/core/internal'
import { readJsonFile } from '@curfew/extensions/internal'
import type { RawServerEntry } from '@curfew/mcp/config'
import { starterRoot } from '../../starter-root.ts'
import { differingFields, isKeyless } from './compare-servers.ts'
import { fileIn, type ImportResult, importServer } from './import-server.ts'
import { type AgentFile, readServers } from './read-servers.ts'
import { type Source, valueAt } from './source.ts'

export type DiffState = 'same' | 'different' | 'only-agent' | 'only-curfew' | 'unapproved' | 'unusable'

/** One server, compared. */
export interface ServerDiff {
  readonly state: DiffState
  /** In the agent's file; in ours if the agent does not have it. */
  readonly name: string
  /** The agent's file; `null` if it does not have the server. */
  readonly source: Source | null
  readonly agentEntry: RawServerEntry | null
  /** Our server, if there is one. */
  readonly curfew: OwnServer | null
  /** The fields that differ. */
  readonly fields: readonly string[]
  /** The agent starts it, and Curfew does so too for the same agent. */
  readonly startedTwice: boolean
  /** Why it cannot be imported. */
  readonly reason: string | null
}

export interface OwnServer {
  readonly name: string
  readonly file: string
  readonly entry: RawServerEntry
  /** It can be called: it is not disabled, and its file is trusted. */
  readonly isUsed: boolean
}

export interface Diff {
  readonly servers: readonly ServerDiff[]
  /** The agents, or editions of one, that have servers but not Curfew. */
  readonly withoutCurfew: readonly Source[]
  /** Our project file is ignored, because the project is not trusted. */
  readonly isUntrusted: boolean
  readonly problems: readonly DiffProblem[]
  /** No file of the agent could be read, so nothing is known about it. */
  readonly isUnreadable: boolean
}

export interface DiffProblem {
  readonly file: string
  readonly message: string
}

/** Compares the servers in an agent's files with ours. Writes nothing. */
export async function diffServers(sources: readonly Source[]): Promise<Diff> {
  const problems: DiffProblem[] = []
  const files = await readServers(sources, ({ file }, message) => void problems.push({ file, message }))
  const isUnreadable = files.length === 0 && problems.length > 0
  const own = await ownServers(problems)
  const found = files.flatMap((file) => compareFile(file, own))
  const users = new Set(
    found.flatMap((one) => (one.result.kind === 'curfew' && one.isOn ? [one.source.agent] : [])),
  )
  const offHere = new Set(
    files.flatMap(({ source, disabledHere }) => disabledHere.map((name) => `${source.agent} ${name}`)),
  )
  const compared = found.flatMap(({ result, source }): ServerDiff[] => {
    if (result.kind === 'curfew') return []
    const one = toDiff(result, source, own)
    const isOff = !users.has(source.agent) || offHere.has(`${source.agent} ${one.name}`)
    return [isOff ? { ...one, startedTwice: false } : one]
  })
  const known = new Set(compared.map(({ curfew }) => curfew))
  const rest = own.servers.filter((server) => !known.has(server) && server.entry.disabled !== true)
  const agents = files.length === 0 ? sources.slice(0, 1) : files.map(({ source }) => source)
  const withoutCurfew = agents.filter(
    ({ agent }, index) => !users.has(agent) && agents.findIndex((other) => other.agent === agent) === index,
  )
  return {
    servers: [...compared, ...rest.map(onlyOurs)],
    withoutCurfew,
    isUntrusted: own.isUntrusted,
    problems,
    isUnreadable,
  }
}

interface OwnServers {
  readonly servers: readonly OwnServer[]
  readonly userFile: string
  readonly isUntrusted: boolean
}

async function ownServers(problems: DiffProblem[]): Promise<OwnServers> {
  const user = starterRoot(true)
  const project = starterRoot(false)
  const userFile = fileIn(user.path)
  const files = project.exists ? [userFile, fileIn(project.path)] : [userFile]
  const isUntrusted = project.exists && !project.usable
  const servers: OwnServer[] = []
  for (const file of files) {
    const read = await readJsonFile(file)
    if (read.kind === 'problem') problems.push({ file, message: read.problem.message })
    const entries = read.kind === 'value' ? valueAt(read.value, ['mcpServers']) : undefined
    for (const [name, entry] of Object.entries(isJsonObject(entries) ? entries : {}))
      if (!name.startsWith('//') && isJsonObject(entry)) {
        const isUsed = entry.disabled !== true && (file === userFile || !isUntrusted)
        servers.push({ name, file, entry, isUsed })
      }
  }
  return { servers, userFile, isUntrusted: isUntrusted && servers.some(({ file }) => file !== userFile) }
}

interface Compared {
  readonly source: Source
  /** The agent may start it. */
  readonly isOn: boolean
  readonly result: ImportResult
}

function compareFile({ source, servers, document, choices }: AgentFile, own: OwnServers): Compared[] {
  const ordered = nearestFirst(own, source).toReversed()
  const known = Object.fromEntries(ordered.map(({ name, entry }) => [name, entry]))
  return Object.entries(servers).map(([name, server]) => ({
    source,
    isOn: isSwitchedOn(server) && !['off', 'unapproved'].includes(choices(name)),
    result: importServer(name, server, source, {
      file: own.userFile,
      known,
      choice: choices(name),
      document,
      isTrusted: false,
      force: false,
      rename: false,
    }),
  }))
}

/** A project's server is compared with our project's server of that name first, the user's with the user's. */
function nearestFirst({ servers, userFile }: OwnServers, { scope }: Source): readonly OwnServer[] {
  const isNear = ({ file }: OwnServer): boolean => (file === userFile) === (scope === 'user')
  return [...servers.filter(isNear), ...servers.filter((one) => !isNear(one))]
}

function isSwitchedOn(server: unknown): boolean {
  return isJsonObject(server) && server.disabled !== true && server.enabled !== false
}

function toDiff(
  result: Exclude<ImportResult, { readonly kind: 'curfew' }>,
  source: Source,
  own: OwnServers,
): ServerDiff {
  const base = { name: result.from, source, fields: [], startedTwice: false, curfew: null, reason: null }
  if (result.kind === 'unapproved') return { ...base, state: 'unapproved', agentEntry: null }
  if (result.kind === 'unusable')
    return { ...base, state: 'unusable', agentEntry: null, reason: result.reason }
  const { entry, name } = result
  const named = nearestFirst(own, source).find((one) => one.name === name)
  const isSame = result.kind === 'exists' && result.same
  const curfew = isSame ? named : (own.servers.find((one) => isRenamed(one, name, entry, source)) ?? named)
  if (curfew === undefined) return { ...base, state: 'only-agent', agentEntry: entry }
  const isSwitched = (curfew.entry.disabled === true) !== (entry.disabled === true)
  const fields = [...differingFields(curfew.name, curfew.entry, entry), ...(isSwitched ? ['disabled'] : [])]
  return {
    ...base,
    state: fields.length === 0 ? 'same' : 'different',
    agentEntry: entry,
    curfew,
    fields,
    startedTwice: curfew.isUsed && entry.disabled !== true,
  }
}

/** The same server under another name: `--rename` chose it, or there are no keys that could tell two servers apart. */
function isRenamed(one: OwnServer, name: string, entry: RawServerEntry, { suffix }: Source): boolean {
  const isOurName = one.name.startsWith(`${name.slice(0, 50)}-${suffix}`)
  if (!isOurName && !isKeyless(one.name, entry)) return false
  return hasTarget(entry) && differingFields(one.name, one.entry, entry).length === 0
}

function hasTarget({ command, url }: RawServerEntry): boolean {
  return command !== undefined || url !== undefined
}

function onlyOurs(curfew: OwnServer): ServerDiff {
  const base = { agentEntry: null, fields: [], startedTwice: false, reason: null }
  return { ...base, state: 'only-curfew', name: curfew.name, source: null, curfew }
}
