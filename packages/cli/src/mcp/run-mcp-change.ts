import { join } from 'node:path'
import { isJsonObject } from '@curfew/core/internal'
import { configRoots } from '@curfew/extensions'
import { readJsonFile } from '@curfew/extensions/internal'
import { loadServers, mcpFileName, removeServer, setServerDisabled } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { rejectSymlink } from '../reject-symlink.ts'
import { advise } from '../runner-command.ts'
import { shortPath } from '../short-path.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { serversIn } from './import/plan-import.ts'
import { valueAt } from './import/source.ts'
import { noSuchServer, untrusted } from './open-servers.ts'
import { secretsIn } from './plain-keys.ts'
import { unapprovedDefinitions } from './project-definitions.ts'

/** `curfew mcp enable` and `curfew mcp disable`. Returns the exit code. */
export async function runMcpSwitch(command: 'enable' | 'disable', server: string): Promise<number> {
  const { file, isProject } = await findEntry(command, server)
  const hasChanged = await setServerDisabled(file, server, command === 'disable')
  const is = hasChanged ? 'is now' : 'is already'
  write(`${server} ${is} ${command}d in ${shortPath(file)}\n`)
  // Its definition may have changed while it was disabled, so enabling it does not approve it.
  if (command === 'enable' && isProject) {
    const unapproved = await unapprovedDefinitions(configRoots())
    if (unapproved.some(({ name }) => name === server))
      write(`gateways that are running may need: ${advise(`curfew mcp approve ${server}`)}\n`)
  }
  return 0
}

/** `curfew mcp remove`. Returns the exit code. */
export async function runMcpRemove(server: string): Promise<number> {
  const { file, entry, root, isProject } = await findEntry('remove', server)
  await removeServer(file, server)
  write(`removed ${server} from ${shortPath(file)}\n`)
  if (isProject && Object.hasOwn(await serversIn(join(configRoots().user, mcpFileName)), server))
    write(`your own mcp.json also has a server ${server}, which is used from now on\n`)
  for (const name of await leftSecrets(entry, root))
    write(`its secret ${name} is kept; to remove it: curfew secret remove ${name}\n`)
  return 0
}

interface FoundEntry {
  readonly file: string
  /** The folder of the file. */
  readonly root: string
  readonly isProject: boolean
  readonly entry: object
}

/** The entry that counts: the project's, if it has one. It may be invalid. */
async function findEntry(command: string, server: string): Promise<FoundEntry> {
  const roots = configRoots()
  const { user, project } = roots
  const folders = [...(project?.trusted ? [project.path] : []), user]
  for (const root of folders) {
    const file = join(root, mcpFileName)
    const servers = await readEntries(command, file)
    if (!Object.hasOwn(servers, server)) continue
    const isProject = root !== user
    if (isProject) rejectSymlink(`mcp ${command}`, file)
    return { file, root, isProject, entry: Object(servers[server]) }
  }
  const loaded = await loadServers(roots)
  const problems = [...loaded.problems, ...untrusted(roots)]
  throw noSuchServer(`mcp ${command}`, server, { ...loaded, problems })
}

/** The entries of a file. Throws if it cannot be read, because it may have the server. */
async function readEntries(command: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const read = await readJsonFile(file)
  const at = `curfew mcp ${command}: ${shortPath(file)}`
  if (read.kind === 'problem') throw new UsageError(`${at}: ${oneLine(read.problem.message)}; fix it first`)
  const servers = read.kind === 'value' ? (valueAt(read.value, ['mcpServers']) ?? {}) : {}
  if (isJsonObject(servers)) return servers
  throw new UsageError(`${at}: expected "mcpServers" to be an object; fix it first`)
}

/** The secrets of an entry that no other server refers to. */
async function leftSecrets(entry: object, root: string): Promise<readonly string[]> {
  const { user, project } = configRoots()
  const folders = new Set([root, user, ...(project?.trusted ? [project.path] : [])])
  const others = await Promise.all([...folders].map((folder) => serversIn(join(folder, mcpFileName))))
  const used = new Set(
    others.flatMap((servers) => Object.values(servers)).flatMap((one) => secretsIn(Object(one))),
  )
  return secretsIn(entry as Readonly<Record<string, unknown>>)
    .filter((name) => !used.has(name))
    .map(oneLine)
}
