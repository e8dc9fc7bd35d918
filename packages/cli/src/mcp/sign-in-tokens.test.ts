import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signInTokens } from './sign-in-tokens.ts'

test('opens the store again after a failed attempt', async () => {
  const root = await mkdtemp(join(tmpdir(), 'curfew-tokens-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const keyFile = join(root, 'key')
  await writeFile(keyFile, Buffer.alloc(32, 'key'), { mode: 0o600 })
  // Simulates a locked keychain, which not every machine has.
  const env = { CURFEW_SECRET_STORE: 'locked', CURFEW_KEY_FILE: keyFile }
  const tokens = signInTokens({ root, env })
  const key = { serverName: 'remote', url: 'https://a.example/mcp' }
  await expect(tokens.write(key, '{"tokens":1}')).rejects.toThrow('CURFEW_SECRET_STORE')
  env.CURFEW_SECRET_STORE = 'file'
  await tokens.write(key, '{"tokens":2}')
  expect(await tokens.read(key)).toBe('{"tokens":2}')
})
