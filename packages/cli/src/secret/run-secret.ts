import { text } from 'node:stream/consumers'
import { formatUse, isSecretName, minSecretLength } from '@curfew/core/internal'
import { openSecretStore } from '@curfew/extensions'
import { readMasked } from '../ask/read-masked.ts'
import { UsageError } from '../command.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { secretOptions } from './open-secrets.ts'
import { parseUseOption } from './parse-use-option.ts'

interface SetInput {
  readonly name: string
  readonly for: readonly string[]
}

/** `curfew secret set`. Returns the exit code. */
export async function setSecret({ name, for: options }: SetInput): Promise<number> {
  checkName('set', name)
  const newUses = await Promise.all(options.map(parseUseOption))
  const store = await openSecretStore(secretOptions())
  const value = await readValue(name)
  if (value.length < minSecretLength) {
    throw new UsageError(
      `curfew secret set: expected at least ${minSecretLength} characters; nothing was stored`,
    )
  }
  // A new value keeps the uses that were allowed before.
  const uses = newUses.length > 0 ? newUses : ((await store.get(name))?.uses ?? [])
  await store.set(name, { value, uses })
  write(`stored ${name} in ${store.where}, for ${showUses(uses)}\n`)
  return 0
}

/** Prompts for the value, or reads it from a pipe without its final line break. */
async function readValue(name: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const value = await readMasked(`Value of ${name}: `)
  if (value === null) throw new UsageError('curfew secret set: cancelled; nothing was stored')
  return value
}

/** `curfew secret list`. Returns the exit code. */
export async function listSecrets(json: boolean): Promise<number> {
  const store = await openSecretStore(secretOptions())
  const secrets = (await store.list()).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (json) write(`${JSON.stringify({ store: store.where, secrets })}\n`)
  else if (secrets.length === 0) write(`no secrets in ${store.where}\n`)
  else {
    const width = Math.max(...secrets.map(({ name }) => name.length))
    for (const { name, uses } of secrets) write(`${name.padEnd(width)}  ${showUses(uses)}\n`)
  }
  return 0
}

function showUses(uses: readonly string[]): string {
  return uses.length === 0 ? 'the first host or tool that uses it' : oneLine(uses.map(formatUse).join(', '))
}

/** `curfew secret rm`. Returns the exit code. */
export async function removeSecret(name: string): Promise<number> {
  checkName('rm', name)
  const store = await openSecretStore(secretOptions())
  if (!(await store.remove(name)))
    throw new UsageError(`curfew secret rm: found no secret ${name} in ${store.where}`)
  write(`removed ${name} from ${store.where}\n`)
  return 0
}

function checkName(subcommand: string, name: string): void {
  if (isSecretName(name)) return
  throw new UsageError(
    `curfew secret ${subcommand}: NAME: expected letters, digits and _, as in GITHUB_TOKEN, got ${JSON.stringify(name)}`,
  )
}
