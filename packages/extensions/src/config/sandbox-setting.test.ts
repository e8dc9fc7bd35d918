import { expect, test } from 'vitest'
import { emptyLayer, toLayer } from './load-config.ts'
import { type Layers, mergeConfig } from './merge-config.ts'
import { readVariables } from './read-variables.ts'
import { toSandbox } from './sandbox-setting.ts'

function sandboxOf(layers: Partial<Layers>) {
  const all = {
    user: emptyLayer,
    project: emptyLayer,
    environment: emptyLayer,
    flags: emptyLayer,
    ...layers,
  }
  const merged = mergeConfig(all)
  return { mode: toSandbox(merged.values, all), problems: merged.problems.map(({ message }) => message) }
}

const user = (document: object) => toLayer(document, 'user.json', 'user')
const project = (document: object) => toLayer(document, 'project.json', 'project')

test('by default, there is no sandbox', () => {
  expect(sandboxOf({})).toEqual({ mode: 'none', problems: [] })
})

test.each([
  ['none', 'workspace', 'workspace'],
  ['workspace', 'workspace-offline', 'workspace-offline'],
  ['workspace', 'none', 'workspace'],
  ['workspace-offline', 'workspace', 'workspace-offline'],
])('the user sets %s and a project %s: %s', (ofUser, ofProject, mode) => {
  const found = sandboxOf({ user: user({ sandbox: ofUser }), project: project({ sandbox: ofProject }) })
  expect(found.mode).toBe(mode)
  const isIgnored = mode !== ofProject
  expect(found.problems).toEqual(
    isIgnored ? [`"${ofProject}" is looser than your setting, "${ofUser}", so it is ignored`] : [],
  )
})

test('the environment is the user’s', () => {
  const environment = readVariables({ CURFEW_SANDBOX: 'none' })
  expect(sandboxOf({ user: user({ sandbox: 'workspace' }), environment }).mode).toBe('none')
})

test.each([
  ['a value that does not exist', { user: user({ sandbox: 'workspce' }) }],
  ['a variable that does not exist', { environment: readVariables({ CURFEW_SANDBOX: 'on' }) }],
  [
    'a file that cannot be parsed',
    { user: { ...emptyLayer, problems: [{ severity: 'error', file: 'a', field: null, message: 'no' }] } },
  ],
] as [string, Partial<Layers>][])('%s: the strictest applies', (_case, layers) => {
  expect(sandboxOf(layers).mode).toBe('workspace-offline')
})

test('an error elsewhere does not matter', () => {
  expect(sandboxOf({ user: user({ sandbox: 'workspace', concurrency: 'many' }) }).mode).toBe('workspace')
})
