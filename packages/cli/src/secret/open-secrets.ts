import { existsSync } from 'node:fs'
import { configRoots, type OpenStoreOptions } from '@curfew/extensions'
import { secretFile } from '@curfew/extensions/internal'
import { readMasked } from '../ask/read-masked.ts'
import { withTerminal } from '../ask/terminal-turn.ts'
import { clearLine } from '../terminal.ts'

/** The user's own store; for the encrypted file somebody at the terminal may be asked for its passphrase. */
export function secretOptions(): OpenStoreOptions {
  const canAsk = process.stderr.isTTY && process.stdin.isTTY
  const root = configRoots().user
  return {
    root,
    ...(canAsk && {
      askPassphrase() {
        const file = secretFile(root)
        return withTerminal(() => {
          // What is under way may stand there.
          process.stderr.write(clearLine)
          return existsSync(file) ? ask('Passphrase for your secrets: ') : choosePassphrase(file)
        })
      },
    }),
  }
}

async function choosePassphrase(file: string): Promise<string> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  say(`There is no keychain here: choose a passphrase for ${file}. It cannot be recovered.`)
  for (;;) {
    const chosen = await ask('New passphrase: ')
    if ((await ask('The same again: ')) === chosen) return chosen
    say('These were not the same.')
  }
}

async function ask(prompt: string): Promise<string> {
  const passphrase = await readMasked(prompt)
  if (passphrase === null || passphrase === '') throw new Error('no passphrase was given')
  return passphrase
}
