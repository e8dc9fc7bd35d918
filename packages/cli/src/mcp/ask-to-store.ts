import { openSecretStore, type SecretStore } from '@curfew/extensions'
import { readLine } from '../ask/read-line.ts'
import { UsageError } from '../command.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { count } from '../terminal.ts'

/** Opens the secret store if `--store-secrets` was given or the user agrees; otherwise returns `null`. */
export async function askToStore(
  command: string,
  keys: number,
  storeSecrets: boolean | undefined,
): Promise<SecretStore | null> {
  if (keys === 0 || !(storeSecrets || (await confirm(command, keys)))) return null
  return await openSecretStore(secretOptions())
}

async function confirm(command: string, keys: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const question = `${count(keys, 'key')} would be written to the file in plain text. Store ${keys === 1 ? 'it' : 'them'} as ${keys === 1 ? 'a secret' : 'secrets'} instead? [Y/n] `
  const answer = await readLine(question)
  if (answer === null) throw new UsageError(`curfew ${command}: nothing was written`)
  return !/^n/i.test(answer.trim())
}
