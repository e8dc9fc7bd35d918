import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ThemeSetting } from '../src/tui/theme/choose-theme.ts'
import { themeHost } from '../src/tui/theme/theme-host.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
temporaryFolders((folders) => {
  home = folders.home
})

function choice() {
  return {
    setting: 'auto' as ThemeSetting,
    choose(setting: ThemeSetting) {
      this.setting = setting
    },
  }
}

test('a theme is used at once, and remembered with everything else in the file', async () => {
  const file = join(home, 'curfew', 'config.json')
  mkdirSync(join(home, 'curfew'))
  writeFileSync(file, '{\n  // mine\n  "heartbeat": "1m"\n}\n')
  const chosen = choice()
  const host = themeHost(chosen, file)
  await host.select('light')
  expect([host.current(), chosen.setting]).toEqual(['light', 'light'])
  expect(readFileSync(file, 'utf8')).toMatch(
    /\/\/ mine\n {2}"heartbeat": "1m",\n {2}"ui": \{\s*"theme": "light"\s*\}/,
  )
  await host.select('none')
  expect(readFileSync(file, 'utf8')).toMatch(/"theme": "none"/)
  expect(host.list().map(({ name }) => name)).toEqual(['auto', 'dark', 'light', 'none'])
})

test('a theme that cannot be remembered is used until the end', async () => {
  const file = join(home, 'config.json')
  writeFileSync(file, '{}')
  chmodSync(file, 0o400)
  const chosen = choice()
  await expect(themeHost(chosen, file).select('dark')).rejects.toThrow(
    /^the theme dark is used until the end of the program: .*config.json: is read-only/,
  )
  expect(chosen.setting).toBe('dark')
})
