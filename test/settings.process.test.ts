import { readFileSync } from 'node:fs'
import { loadConfig } from '@curfew/extensions'
import { expect, test } from 'vitest'

test('docs/configuration.md documents every setting', async () => {
  const text = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
  const { settings } = await loadConfig({ cwd: '/', env: { HOME: '/nonexistent' } })
  expect(settings.map(({ key }) => key).filter((key) => !text.includes(`\`${key}\``))).toEqual([])
})
