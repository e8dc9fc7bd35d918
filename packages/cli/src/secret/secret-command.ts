import { text } from 'node:stream/consumers'
import { formatUse, isSecretName, minSecretLength } from '@curfew/core/internal'
import { openSecretStore } from '@curfew/extensions'
import { readMasked } from '../ask/read-masked.ts'
import { type Command, UsageError } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { secretOptions } from './open-secrets.ts'
import { readUse } from './read-use.ts'

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'secret',
      args,
      {
        for: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      3,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const [action, name, extra] = positionals
    if (extra !== undefined) {
      throw new UsageError(
        'curfew secret: a value on the command line can be seen by everybody; leave it out and type it when you are asked',
      )
    }
    switch (action) {
      case 'set':
        return await set(checkName(name), values.for && (await Promise.all(values.for.map(readUse))))
      case 'list':
        return await list(values.json ?? false)
      case 'rm':
        return await remove(checkName(name))
      default:
        throw new UsageError('curfew secret: say set NAME, list or rm NAME; curfew secret --help tells more')
    }
  },
}

async function set(name: string, given: readonly string[] | undefined): Promise<number> {
  const store = await openSecretStore(secretOptions())
  const value = await readValue(name)
  if (value.length < minSecretLength) {
    throw new UsageError(
      `curfew secret: a secret has at least ${minSecretLength} characters; nothing was stored`,
    )
  }
  // A new value does not change who may get it.
  const uses = given ?? (await store.get(name))?.uses ?? []
  await store.set(name, { value, uses })
  write(`${name} is stored in ${store.where}, for ${showUses(uses)}\n`)
  return 0
}

/** Typed without being shown, or through a pipe; a line break at its end is not part of it. */
async function readValue(name: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const value = await readMasked(`Value of ${name}: `)
  if (value === null) throw new UsageError('curfew secret: nothing was stored')
  return value
}

async function list(json: boolean): Promise<number> {
  const store = await openSecretStore(secretOptions())
  const secrets = (await store.list()).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (json) write(`${JSON.stringify({ store: store.where, secrets })}\n`)
  else if (secrets.length === 0) write(`there are no secrets in ${store.where}\n`)
  else {
    const width = Math.max(...secrets.map(({ name }) => name.length))
    for (const { name, uses } of secrets) write(`${name.padEnd(width)}  ${showUses(uses)}\n`)
  }
  return 0
}

function showUses(uses: readonly string[]): string {
  return uses.length === 0 ? 'whoever uses it first' : oneLine(uses.map(formatUse).join(', '))
}

async function remove(name: string): Promise<number> {
  const store = await openSecretStore(secretOptions())
  if (!(await store.remove(name)))
    throw new UsageError(`curfew secret: there is no ${name} in ${store.where}`)
  write(`${name} is gone from ${store.where}\n`)
  return 0
}

function checkName(name: string | undefined): string {
  if (name !== undefined && isSecretName(name)) return name
  throw new UsageError(
    name === undefined
      ? 'curfew secret: name a secret, as in: curfew secret set GITHUB_TOKEN'
      : `curfew secret: ${JSON.stringify(name)} cannot be the name of a secret; write letters, digits and _, as in GITHUB_TOKEN`,
  )
}

const help = `Usage: curfew secret set NAME [--for HOST|TOOL]...
       curfew secret list [--json]
       curfew secret rm NAME

Keep the keys that tools need: in the keychain of your system, or in an
encrypted file where there is none (CURFEW_PASSPHRASE or CURFEW_KEY_FILE opens
it; on a terminal you are asked). The value is typed without being shown, or
read from a pipe; it is never printed. A secret is bound to the host or tool
that it was stored for; whoever else wants it needs your yes.

  --for HOST|TOOL  who may get it; repeatable. A host (api.github.com), a tool
                   of your own (script_deploy), an MCP server of your own
                   (mcp__github), or one that a project defines
                   ("script_deploy of /home/me/shop"). Without it, who could
                   get it before, or whoever uses it first
  --json           print one JSON object: { store, secrets: [{ name, uses }] }
  -h, --help       show this
`
