import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { isCurfewCommand } from './is-curfew-command.ts'
import { readPlain, readReference } from './read-reference.ts'
import type { EntrySource } from './read-server.ts'
import { type Reference, secretNames, showReference } from './reference.ts'
import type { Report } from './report.ts'
import type { StdioTarget } from './server-config.ts'
import type { ServerEntry } from './server-file.ts'

export function readStdioTarget(
  entry: ServerEntry,
  rawCommand: string,
  { env, root }: EntrySource,
  report: Report,
): StdioTarget {
  const plain = (text: string, field: string): string =>
    readPlain(text, field, 'put it into "env", where it may be secret:NAME', env, report)
  for (const field of ['headers', 'oauth'] as const) {
    if (Object.keys(entry[field] ?? {}).length > 0)
      report(field, 'is ignored for a command; it requires "url"', 'warning')
  }
  const command = plain(rawCommand, 'command')
  const args = entry.args.map((arg, index) =>
    readArgument(keepOwnVariables(arg, entry.env, env), `args[${index}]`, env, report),
  )
  if (command === '') report('command', 'is empty')
  if (isCurfewCommand(command, args.map(showReference)))
    report(null, 'is Curfew itself, which would start itself endlessly')
  const cwd = entry.cwd === undefined ? undefined : resolvePath(root, plain(entry.cwd, 'cwd'), env)
  return { kind: 'stdio', command, args, env: readEnvironment(entry, env, report), cwd }
}

/** Variables from the server's own `env` are kept in its arguments: a shell, or `mcp-remote`, expands them itself. */
function keepOwnVariables(arg: string, ownEnv: ServerEntry['env'], env: Readonly<NodeJS.ProcessEnv>): string {
  return arg.replace(/\$\$|\$\{(\w+)\}|\$(\w+)/g, (found, inBraces?: string, bare?: string) => {
    const name = inBraces ?? bare
    return name !== undefined && Object.hasOwn(ownEnv, name) && !Object.hasOwn(env, name)
      ? `$${found}`
      : found
  })
}

/** A secret in an argument is safer than one in the file, but less safe than one in the environment. */
function readArgument(
  text: string,
  field: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): string | Reference {
  const reference = readReference(text, field, env, report)
  if (secretNames([reference]).length === 0) return reference.join('')
  const fix = 'if the server reads it from a variable, put it into "env"'
  report(field, `other users of this machine can see the arguments of a process; ${fix}`, 'warning')
  return reference
}

function readEnvironment(
  entry: ServerEntry,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): Readonly<Record<string, Reference>> {
  const variables = Object.entries(entry.env).map(([name, value]) => {
    const field = `env.${name}`
    if (!/^[^=\0]+$/.test(name)) report(field, 'is not a valid variable name')
    return [name, readReference(String(value), field, env, report)] as const
  })
  return Object.fromEntries(variables)
}

/** Paths are relative to the project, not to its `.curfew` directory. */
function resolvePath(root: string, path: string, env: Readonly<NodeJS.ProcessEnv>): string {
  const folder = basename(root) === '.curfew' ? dirname(root) : root
  return resolve(
    folder,
    path.replace(/^~(?=\/|$)/, () => env.HOME ?? homedir()),
  )
}
