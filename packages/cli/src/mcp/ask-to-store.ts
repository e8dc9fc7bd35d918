import { openSecretStore, type SecretStore } from '@curfew/core/secrets'
import { readLine } from '../ask/read-line.ts'
import { UsageError } from '../command.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { count } from '../terminal.ts'

/** Where to put keys that stand in the clear: `--store-secrets` says so, or a person on a terminal. `null`: nowhere. */
export async function askToStore(
  command: string,
  keys: number,
  isWanted: boolean | undefined,
): Promise<SecretStore | null> {
  if (keys === 0 || !(isWanted || (await asksFor(command, keys)))) return null
  return await openSecretStore(secretOptions())
}

async function asksFor(command: string, keys: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const question = `${count(keys, 'key')} would stand in the file in the clear. Move ${keys === 1 ? 'it' : 'them'} to your secrets? [Y/n] `
  const answer = await readLine(question)
  if (answer === null) throw new UsageError(`curfew ${command}: nothing was written`)
  return !/^n/i.test(answer.trim())
}
