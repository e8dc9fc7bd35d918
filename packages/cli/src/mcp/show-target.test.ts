import { expect, test } from 'vitest'
import { withoutKeys } from './show-target.ts'

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
  expect(withoutKeys({ command: 'x', env: 5 })).toEqual({ command: 'x', env: 5 })
})
