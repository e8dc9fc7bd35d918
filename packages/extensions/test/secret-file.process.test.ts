import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSecretStore, openVault } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { canary, fileOptions, folder, keyFile, openStore } from './support/secret-folder.ts'

describe('the encrypted file', () => {
  test('another passphrase can be entered after an incorrect one', async () => {
    const env = { CURFEW_SECRET_STORE: 'file' }
    await (await openSecretStore({ root: folder, env: { ...env, CURFEW_PASSPHRASE: 'correct horse' } })).set(
      'A',
      { value: canary, uses: [] },
    )
    const typed = ['wrong', 'correct horse']
    const store = await openSecretStore({ root: folder, env, askPassphrase: async () => typed.shift()! })
    await expect(store.get('A')).rejects.toThrow('cannot be decrypted')
    expect(await store.get('A')).toMatchObject({ value: canary })
  })

  test('is readable only by its owner, contains no plain text, and keeps the secrets', async () => {
    const store = await openStore()
    await store.set('A', { value: canary, uses: ['tool:a'] })
    await store.set('B', { value: 'other-value', uses: [] })
    const file = join(folder, 'secrets.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toMatch(/canary|other-value|tool:a|"A"/)
    const again = await openStore()
    expect(await again.get('A')).toEqual({ value: canary, uses: ['tool:a'] })
    expect(await again.list()).toEqual([
      { name: 'A', uses: ['tool:a'] },
      { name: 'B', uses: [] },
    ])
    expect(await again.remove('A')).toBe(true)
    expect(await again.remove('A')).toBe(false)
    expect(await (await openStore()).get('A')).toBeNull()
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  test('concurrent writers lose nothing', async () => {
    const stores = await Promise.all(Array.from({ length: 10 }, openStore))
    await Promise.all(
      stores.map((store, index) => store.set(`KEY_${index}`, { value: `value-${index}`, uses: [] })),
    )
    expect(await (await openStore()).list()).toHaveLength(10)
  })

  test('only the right passphrase decrypts it', async () => {
    const open = (passphrase: string) =>
      openSecretStore({ root: folder, env: { CURFEW_SECRET_STORE: 'file', CURFEW_PASSPHRASE: passphrase } })
    await (await open('correct horse')).set('A', { value: canary, uses: [] })
    expect(await (await open('correct horse')).get('A')).toMatchObject({ value: canary })
    await expect((await open('battery staple')).get('A')).rejects.toThrow(
      /secrets\.json: cannot be decrypted: the passphrase is wrong/,
    )
  })

  test('without a key, storing fails with instructions and writes nothing', async () => {
    const store = await openSecretStore({ root: folder, env: { CURFEW_SECRET_STORE: 'file' } })
    expect(await store.get('A')).toBeNull()
    await expect(store.set('A', { value: canary, uses: [] })).rejects.toMatchObject({
      code: 'SECRETS_UNAVAILABLE',
      message: expect.stringMatching(/CURFEW_PASSPHRASE.+CURFEW_KEY_FILE/),
    })
    expect(existsSync(join(folder, 'secrets.json'))).toBe(false)
  })

  test.each<[string, (box: Record<string, unknown>) => unknown, RegExp]>([
    [
      'a changed byte',
      (box) => ({ ...box, data: (box.data as string).replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) }),
      /cannot be decrypted: .+ is wrong, or the file was modified/,
    ],
    ['another salt', (box) => ({ ...box, salt: Buffer.alloc(16).toString('base64') }), /cannot be decrypted/],
    ['another order of the header is accepted', ({ kdf, ...box }) => ({ kdf, ...box }), /^$/],
    ['a newer version', (box) => ({ ...box, version: 2 }), /expected version 1, got 2/],
    [
      'a cost that would use too much memory',
      (box) => ({ ...box, kdf: 'scrypt', cost: 2 ** 30 }),
      /is damaged/,
    ],
    ['something else', () => ({ hello: 'world' }), /is not a Curfew secrets file/],
    ['no JSON', () => 'garbage', /is damaged: it is not JSON/],
    ['deep JSON', () => '['.repeat(20_000) + ']'.repeat(20_000), /is damaged: it is not JSON/],
  ])('rejects %s', async (_name, change, expected) => {
    const file = join(folder, 'secrets.json')
    await (await openStore()).set('A', { value: canary, uses: [] })
    const changed = change(JSON.parse(readFileSync(file, 'utf8')))
    writeFileSync(file, typeof changed === 'string' ? changed : JSON.stringify(changed))
    const read = (await openStore()).get('A')
    if (expected.source === '^$') expect(await read).toMatchObject({ value: canary })
    else await expect(read).rejects.toThrow(expected)
  })

  test('is neither waited for nor read without end if it is not a file', async () => {
    for (const target of ['/dev/zero', join(folder, 'fifo')]) {
      rmSync(join(folder, 'secrets.json'), { force: true })
      symlinkSync(target, join(folder, 'secrets.json'))
      if (target !== '/dev/zero') execFileSync('mkfifo', [target])
      await expect((await openStore()).list()).rejects.toThrow(/secrets\.json: is not a file$/)
    }
  })

  test.each<[string, () => void, RegExp]>([
    ['others can read it', () => chmodSync(keyFile, 0o644), /is readable by other users; run: chmod 600/],
    ['it is too short', () => writeFileSync(keyFile, 'short'), /must have at least 32 bytes, but has 5/],
    ['it does not exist', () => rmSync(keyFile), /does not exist/],
  ])('rejects a key file if %s', async (_name, change, expected) => {
    change()
    await expect((await openStore()).set('A', { value: canary, uses: [] })).rejects.toThrow(expected)
  })

  test('the environment is a fallback for the store', async () => {
    const store = await openStore()
    const vault = openVault(fileOptions({ A: 'from-environment', B: 'from-environment' }))
    await store.set('A', { value: 'from-store', uses: [] })
    expect(await vault.read('A', 'tool:x')).toEqual({ kind: 'found', value: 'from-store', from: 'store' })
    const fallback = { kind: 'found', value: 'from-environment', from: 'environment' }
    expect(await vault.read('B', 'tool:x')).toEqual(fallback)
    expect(await vault.read('C', 'tool:x')).toEqual({ kind: 'missing' })
    const locked = openVault({ root: folder, env: { CURFEW_SECRET_STORE: 'file', B: 'from-environment' } })
    expect(await locked.read('B', 'tool:x')).toEqual(fallback)
    await expect(locked.read('A', 'tool:x')).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' })
  })
})
