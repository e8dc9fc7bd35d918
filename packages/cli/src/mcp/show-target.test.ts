import { expect, test } from 'vitest'
import { showTarget, withoutKeys } from './show-target.ts'

const key = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

test('a definition is shown without its keys, but with everything that may run', () => {
  const entry = {
    args: ['--token', key],
    env: { API_KEY: key, BASH_ENV: key, LD_PRELOAD: `/tmp/${key}`, NODE_OPTIONS: `--require /tmp/${key}` },
    headers: { Authorization: `Bearer ${key}` },
    cwd: '/srv',
  }
  expect(withoutKeys(entry)).toEqual({
    ...entry,
    env: { ...entry.env, API_KEY: '…' },
    headers: { Authorization: 'Bearer …' },
  })
  expect(showTarget({ command: 'x', args: ['--token', key] })).toBe('x --token …')
  expect(withoutKeys({ command: 'x', env: 5 })).toEqual({ command: 'x', env: 5 })
})

test('whatever could run something is shown, also if its name suggests a key', () => {
  const entry = {
    command: 'secret:_HIDDEN_',
    cwd: '/{secret:_HIDDEN_}/…',
    url: 'https://example.com/secret:_HIDDEN_',
    env: {
      DBUS_SESSION_BUS_ADDRESS: 'unixexec:path=/bin/sh,argv1=-c,argv2=id',
      CARGO_REGISTRY_CREDENTIAL_PROVIDER: 'cargo:token-from-stdout ./steal',
      CARGO_REGISTRIES_X_CREDENTIAL_PROVIDER: 'sk-steal',
      RESTIC_PASSWORD_COMMAND: 'sh -c id',
      ANSIBLE_VAULT_PASSWORD_FILE: 'tools/ghp_abcdefghijklmnopqrstuvwxyz0123456789',
      API_KEY: 'secret:API_KEY',
    },
  }
  expect(withoutKeys(entry)).toEqual(entry)
})
