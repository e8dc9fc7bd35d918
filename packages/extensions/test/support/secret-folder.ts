import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenStoreOptions, openSecretStore, type SecretStore } from '@curfew/extensions'
import { afterEach, beforeEach } from 'vitest'

/** A value that must not appear anywhere. */
export const canary = 'canary-5f3a/+secret'
/** The folder with the encrypted file and its key; importing this module creates both for each test. */
export let folder: string
export let keyFile: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-secrets-'))
  keyFile = join(folder, 'key')
  writeFileSync(keyFile, Buffer.alloc(32, 7), { mode: 0o600 })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

export const fileOptions = (env: Record<string, string> = {}): OpenStoreOptions => ({
  root: folder,
  env: { CURFEW_SECRET_STORE: 'file', CURFEW_KEY_FILE: keyFile, ...env },
})

export const openStore = (): Promise<SecretStore> => openSecretStore(fileOptions())
