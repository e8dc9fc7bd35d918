import { expect, test } from 'vitest'
import { toOptions } from './config-options.ts'
import { emptyLayer, toLayer } from './load-config.ts'
import { mergeConfig } from './merge-config.ts'
import { readVariables } from './read-variables.ts'
import { toUiSettings } from './ui-settings.ts'

function merge(user: object, project: object = {}, env: Record<string, string> = {}) {
  return mergeConfig({
    user: toLayer(user, 'user.json', 'user'),
    project: toLayer(project, 'project.json', 'project'),
    environment: readVariables(env),
    flags: emptyLayer,
  })
}

test('by default, the theme follows the terminal', () => {
  expect(toUiSettings(merge({}).values)).toEqual({ theme: 'auto', screenReader: false })
})

test('reads the settings of the user and of variables; they are not options of the runtime', () => {
  const user = { ui: { theme: 'light', screenReader: true } }
  expect(toUiSettings(merge(user).values)).toEqual({ theme: 'light', screenReader: true })
  expect(toOptions(merge(user))).toEqual({ approval: { rules: {} } })
  const env = { CURFEW_UI_THEME: 'none', CURFEW_UI_SCREEN_READER: 'false' }
  expect(toUiSettings(merge(user, {}, env).values)).toEqual({ theme: 'none', screenReader: false })
})

test('a project cannot set them', () => {
  const { values, problems } = merge(
    { ui: { theme: 'light' } },
    { ui: { theme: 'none', screenReader: true } },
  )
  expect(toUiSettings(values)).toEqual({ theme: 'light', screenReader: false })
  expect(problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'ui.theme: a project cannot change how your terminal looks, so it is ignored',
    'ui.screenReader: a project cannot change how your terminal looks, so it is ignored',
  ])
})

test('an unknown theme is reported', () => {
  const { problems } = toLayer({ ui: { theme: 'purple' } }, 'user.json', 'user')
  expect(problems).toMatchObject([{ severity: 'error', field: 'ui.theme' }])
})
