import { configRoots } from '@curfew/core/extensions'
import type { OpenStoreOptions } from '@curfew/core/secrets'
import { readMasked } from '../ask/read-masked.ts'
import { withTerminal } from '../ask/terminal-turn.ts'

/** The user's own store; for the encrypted file somebody at the terminal may be asked for its passphrase. */
export function secretOptions(): OpenStoreOptions {
  const canAsk = process.stdin.isTTY && process.stderr.isTTY
  return {
    root: configRoots().user,
    ...(canAsk && {
      async askPassphrase() {
        const passphrase = await withTerminal(() => readMasked('Passphrase for your secrets: '))
        if (passphrase === null || passphrase === '') throw new Error('no passphrase was given')
        return passphrase
      },
    }),
  }
}
