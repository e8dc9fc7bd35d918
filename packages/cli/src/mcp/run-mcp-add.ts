import { join } from 'node:path'
import { storeSecretCommand } from '@curfew/core/internal'
import { configRoots } from '@curfew/extensions'
import { addServer, mcpFileName, type RawServerEntry } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { durationString } from '../duration-string.ts'
import { rejectSymlink } from '../reject-symlink.ts'
import { advise } from '../runner-command.ts'
import { shortPath } from '../short-path.ts'
import { starterRoot } from '../starter-root.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { askToStore } from './ask-to-store.ts'
import { checkEntry } from './check-entry.ts'
import { serversIn } from './import/plan-import.ts'
import { keepOutOfGit } from './keep-out-of-git.ts'
import { adviseOnKeys, findKeys, secretsIn, secretUse } from './plain-keys.ts'
import { approveEntry } from './project-definitions.ts'
import { storeKeys } from './store-keys.ts'

interface AddInput {
  readonly name: string
  readonly url: string | undefined
  readonly command: readonly string[]
  readonly env: readonly string[]
  readonly header: readonly string[]
  readonly transport: 'stdio' | 'http' | 'sse' | undefined
  /** In milliseconds. */
  readonly timeout: number | undefined
  readonly trust: boolean
  readonly eager: boolean
  readonly project: boolean
  readonly 'store-secrets': boolean
  readonly force: boolean
}

/** `curfew mcp add`. Returns the exit code. */
export async function runMcpAdd(input: AddInput): Promise<number> {
  const { name, project, force } = input
  const requested = buildEntry(input)
  const root = starterRoot(!project)
  const file = join(root.path, mcpFileName)
  const checked = checkEntry(file, name, requested)
  if (checked.errors.length > 0)
    throw usageError(`${oneLine(name)}: ${checked.errors.map(oneLine).join('; ')}`)
  await root.prepare()
  if (project) rejectSymlink('mcp add', file)
  const shown = shortPath(file)
  const exists = usageError(`${shown} already has a server ${name}; --force replaces it`)
  if (!force && Object.hasOwn(await serversIn(file), name)) throw exists
  const projectRoot = project ? root.path : null
  const keys = findKeys(name, requested)
  const store = await askToStore('mcp add', keys.length, input['store-secrets'])
  const named = store === null ? null : await storeKeys(store, name, requested, projectRoot)
  const entry = named?.entry ?? requested
  // First, so that a running gateway uses it as soon as it is in the file.
  if (project && root.usable) await approveEntry(configRoots(), name, entry)
  const done = await addServer(file, name, entry, { force })
  if (done === 'exists') throw exists
  write(`${done === 'added' ? `added ${name} to` : `replaced ${name} in`} ${shown}\n`)
  const test = `curfew mcp test ${name}`
  write(
    root.usable
      ? `test it: ${advise(test)}\n`
      : `this project is not trusted yet; review its files, then run: ${advise(`curfew trust && ${test}`)}\n`,
  )
  for (const note of checked.notes) write(`${name}: ${oneLine(note)}\n`)
  for (const line of adviseOnKeys(name, entry, shown, projectRoot)) write(`${line}\n`)
  if (named !== null) write(`stored as secrets: ${named.stored.join(', ')}\n`)
  else if (projectRoot !== null && keys.length > 0)
    for (const line of await keepOutOfGit(file)) write(`${line}\n`)
  for (const key of secretsIn(requested))
    write(
      `if it is not stored yet: ${advise(storeSecretCommand(key, secretUse(name, entry, projectRoot)))}\n`,
    )
  return 0
}

function buildEntry(input: AddInput): RawServerEntry {
  const { name, url, command, env, header, transport, timeout, trust, eager } = input
  const [program, ...args] = command
  const common = {
    ...(timeout !== undefined && { timeout: durationString(timeout) }),
    ...(trust && { trust }),
    ...(eager && { eager }),
  }
  if (program !== undefined) {
    if (url !== undefined)
      throw usageError(`expected a URL or a command, got both: ${JSON.stringify(url)} is before --`)
    if (header.length > 0) throw usageError('--header requires a URL; for a program, use --env')
    if (transport !== undefined && transport !== 'stdio')
      throw usageError(`--transport ${transport} requires a URL`)
    const variables = parsePairs(env, '--env', /^([^=]+)=(.*)$/s, 'NAME=VALUE')
    return {
      command: program,
      ...(args.length > 0 && { args }),
      ...(env.length > 0 && { env: variables }),
      ...common,
    }
  }
  if (url === undefined || !/^https?:/i.test(url)) {
    if (url?.includes('://'))
      throw usageError(`URL: expected http:// or https://, got ${JSON.stringify(url)}`)
    throw usageError(
      `expected a command or a URL: curfew mcp add ${name} -- ${url ?? 'COMMAND ARGS'}, or curfew mcp add ${name} https://...`,
    )
  }
  if (env.length > 0) throw usageError('--env requires a program; for a URL, use --header')
  if (transport === 'stdio') throw usageError('--transport: expected http or sse for a URL, got "stdio"')
  const headers = parsePairs(header, '--header', /^([^:]+):\s*(.*)$/s, "'NAME: VALUE'")
  return { type: transport ?? 'http', url, ...(header.length > 0 && { headers }), ...common }
}

function parsePairs(
  pairs: readonly string[],
  option: string,
  shape: RegExp,
  expected: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = shape.exec(pair) ?? []
      // The value is not repeated, because it may be a key.
      if (name === undefined || value === undefined) throw usageError(`${option}: expected ${expected}`)
      return [name.trim(), value]
    }),
  )
}

function usageError(problem: string): UsageError {
  return new UsageError(`curfew mcp add: ${problem}`)
}
