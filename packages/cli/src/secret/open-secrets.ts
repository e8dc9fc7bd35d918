import { existsSync } from 'node:fs'
import { configRoots, type OpenStoreOptions } from '@curfew/extensions'
import { secretFile } from '@curfew/extensions/internal'
import { readMasked } from '../ask/read-masked.ts'
import { withTerminal } from '../ask/with-terminal.ts'
import { clearLine } from '../terminal.ts'

/**
 * Options for the user's store; on a terminal, the user is prompted for the passphrase of the encrypted file. An aborted signal closes
 * the prompt.
 */
export function secretOptions(signal?: AbortSignal): OpenStoreOptions {
  const canAsk = process.stderr.isTTY && process.stdin.isTTY
  const root = configRoots().user
  return {
    root,
    ...(canAsk && {
      askPassphrase() {
        const file = secretFile(root)
        return withTerminal(() => {
          // Removes a progress line.
          process.stderr.write(clearLine)
          return existsSync(file)
            ? ask('Passphrase for your secrets: ', signal)
            : choosePassphrase(file, signal)
        })
      },
    }),
  }
}

async function choosePassphrase(file: string, signal: AbortSignal | undefined): Promise<string> {
  const print = (line: string): void => void process.stderr.write(`${line}\n`)
  print(`There is no keychain: choose a passphrase for ${file}. It cannot be recovered.`)
  for (;;) {
    const chosen = await ask('New passphrase: ', signal)
    if ((await ask('Repeat passphrase: ', signal)) === chosen) return chosen
    print('The passphrases differ.')
  }
}

async function ask(prompt: string, signal: AbortSignal | undefined): Promise<string> {
  const passphrase = signal?.aborted ? null : await readMasked(prompt, signal)
  if (passphrase === null || passphrase === '') throw new Error('no passphrase was entered')
  return passphrase
}
