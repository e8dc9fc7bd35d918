import { describe, expect, test } from 'vitest'
import type { Layer, LayerSource } from './config-layer.ts'
import { toOptions, toSettings } from './config-options.ts'
import type { SettingValue } from './config-settings.ts'
import { type MergedConfig, mergeConfig } from './merge-config.ts'

type Values = Record<string, SettingValue>
interface Places {
  user?: Values
  project?: Values
  environment?: Values
  flags?: Values
}

function layer(source: LayerSource, values: Values = {}): Layer {
  const file = source === 'user' || source === 'project' ? { file: `${source}/config.json` } : {}
  return {
    values: new Map(Object.entries(values).map(([key, value]) => [key, { value, source, ...file }])),
    problems: [],
  }
}

const merge = ({ user, project, environment, flags }: Places): MergedConfig =>
  mergeConfig({
    user: layer('user', user),
    project: layer('project', project),
    environment: layer('environment', environment),
    flags: layer('flag', flags),
  })
const verdict = (places: Places) => toOptions(merge(places)).approval.default
const warning = (field: string, message: RegExp) => ({
  severity: 'warning',
  file: 'project/config.json',
  field,
  message: expect.stringMatching(message),
})

test('default < user < project < environment < flags, and each says who it was', () => {
  const places: Places = {
    user: { grace: 1 },
    project: { grace: 2 },
    environment: { grace: 3 },
    flags: { grace: 4 },
  }
  const seen: unknown[] = []
  for (const drop of ['flags', 'environment', 'project', 'user', null] as const) {
    const merged = merge(places)
    const setting = toSettings(merged).find(({ key }) => key === 'grace')!
    seen.push([setting.source, setting.value, toOptions(merged).grace])
    if (drop !== null) delete places[drop]
  }
  expect(seen).toEqual([
    ['flag', 4, 4],
    ['environment', 3, 3],
    ['project', 2, 2],
    ['user', 1, 1],
    ['default', 250, undefined],
  ])
})

test('groups are merged by their fields', () => {
  const merged = merge({
    user: { 'limits.depth': 2, 'timeouts.script': 5 },
    project: { 'limits.callsPerTurn': 7, 'timeouts.api': 6 },
  })
  expect(toOptions(merged)).toEqual({
    approval: { rules: {} },
    limits: { depth: 2, callsPerTurn: 7 },
    timeouts: { script: 5, api: 6 },
  })
})

test('loops: whoever comes later switches them off, or on with what it says', () => {
  const on = { loops: true, 'loops.nudgeAfter': 2 }
  const off = { loops: false }
  expect(toOptions(merge({ user: on })).loops).toEqual({ nudgeAfter: 2 })
  expect(toOptions(merge({ user: on, environment: off })).loops).toBe(false)
  expect(toOptions(merge({ user: off, project: on })).loops).toEqual({ nudgeAfter: 2 })
  const keys = toSettings(merge({ user: on, environment: off })).map(({ key }) => key)
  expect(keys).toContain('loops')
  expect(keys).not.toContain('loops.nudgeAfter')
})

test('an adapter without a row gets toolCallTimeout, if somebody wrote that down', () => {
  const of = (places: Places, key: string) => toSettings(merge(places)).find((setting) => setting.key === key)
  expect(of({}, 'timeouts.script')).toMatchObject({ value: 300_000, source: 'default' })
  expect(of({}, 'timeouts.function')).toMatchObject({ value: 180_000, source: 'default' })
  const written = { user: { toolCallTimeout: 900_000, 'timeouts.script': 5 } }
  expect(of(written, 'timeouts.script')).toMatchObject({ value: 5, source: 'user' })
  expect(of(written, 'timeouts.plan')).toMatchObject({ value: 900_000, source: 'toolCallTimeout' })
  expect(of(written, 'timeouts.api')).toMatchObject({ value: 300_000, source: 'toolCallTimeout' })
})

describe('a project cannot loosen what the user wrote', () => {
  test('rules count together, the lists of all in one', () => {
    const merged = merge({
      user: { 'approval.rules.allow': ['a'], 'approval.rules.deny': ['x'] },
      project: { 'approval.rules.allow': ['b'], 'approval.rules.deny': ['y'], 'approval.rules.ask': ['z'] },
      flags: { 'approval.rules.deny': ['w'] },
    })
    expect(toOptions(merged).approval).toEqual({
      rules: { allow: ['a', 'b'], deny: ['x', 'y', 'w'], ask: ['z'] },
    })
    expect(merged.problems).toEqual([])
    const shown = toSettings(merged).filter(({ key }) => key === 'approval.rules.deny')
    expect(shown.map(({ value, source }) => [source, value])).toEqual([
      ['user', ['x']],
      ['project', ['y']],
      ['flag', ['w']],
    ])
  })

  const verdicts = ['allow', 'ask', 'deny'] as const
  test.each(verdicts.flatMap((user) => verdicts.map((project) => [user, project] as const)))(
    'user %s, project %s: the stricter counts',
    (user, project) => {
      const places = { user: { 'approval.default': user }, project: { 'approval.default': project } }
      const looser = verdicts.indexOf(project) < verdicts.indexOf(user)
      expect(verdict(places)).toBe(looser ? user : project)
      expect(merge(places).problems).toEqual(
        looser ? [warning('approval.default', /looser than what you wrote.+does not count/)] : [],
      )
    },
  )

  test('without a word of the user, the built-in default is what it must be stricter than', () => {
    const allow = { project: { 'approval.default': 'allow' } }
    expect(verdict(allow)).toBeUndefined()
    expect(merge(allow).problems).toEqual([warning('approval.default', /looser than the default, "ask"/)])
    expect(verdict({ project: { 'approval.default': 'deny' } })).toBe('deny')
  })

  test('environment and flags are the user: they beat the project either way', () => {
    expect(
      verdict({ project: { 'approval.default': 'deny' }, environment: { 'approval.default': 'allow' } }),
    ).toBe('allow')
    expect(verdict({ project: { 'approval.default': 'ask' }, flags: { 'approval.default': 'deny' } })).toBe(
      'deny',
    )
  })

  test.each(['user', 'environment', 'flags'] as const)(
    'deny in %s: allow rules of the project do not count, deny rules do',
    (place) => {
      const merged = merge({
        [place]: { 'approval.default': 'deny', 'approval.rules.allow': ['mine'] },
        project: { 'approval.rules.allow': ['theirs'], 'approval.rules.deny': ['x'] },
      })
      expect(merged.refusal).toMatch(/deny/)
      expect(toOptions(merged).approval.rules).toEqual({ allow: ['mine'], deny: ['x'] })
      expect(merged.problems).toEqual([warning('approval.rules.allow', /"deny".+does not count/)])
    },
  )

  test('deny that the project itself wrote, or that the user took back, leaves its allow rules alone', () => {
    const project = { 'approval.default': 'deny', 'approval.rules.allow': ['theirs'] }
    const alone = merge({ project })
    expect(alone.refusal).toBeNull()
    expect(toOptions(alone).approval).toEqual({ default: 'deny', rules: { allow: ['theirs'] } })
    const back = merge({
      user: { 'approval.default': 'deny' },
      environment: { 'approval.default': 'ask' },
      project: { 'approval.rules.allow': ['theirs'] },
    })
    expect(toOptions(back).approval).toEqual({ default: 'ask', rules: { allow: ['theirs'] } })
  })

  test.each([
    [null, true],
    ['approval', true],
    ['approval.rules.deny[0]', true],
    ['CURFEW_APPROVAL', true],
    ['CURFEW_APPROVAL_RULES_DENY', true],
    ['approvalTimeout', false],
    ['CURFEW_APPROVAL_TIMEOUT', false],
    ['grace', false],
  ])('what the user wrote about approval may have been deny: an error in %s', (field, refused) => {
    const error = { severity: 'error', file: 'user/config.json', field, message: 'is wrong' } as const
    const merged = mergeConfig({
      user: { ...layer('user'), problems: [error] },
      project: layer('project', { 'approval.rules.allow': ['theirs'] }),
      environment: layer('environment'),
      flags: layer('flag'),
    })
    expect(toOptions(merged).approval.rules).toEqual(refused ? {} : { allow: ['theirs'] })
    expect(merged.problems).toEqual(
      refused ? [warning('approval.rules.allow', /cannot be read, so it does not count/)] : [],
    )
  })

  test('maxToolCallTimeout: lower counts, higher does not', () => {
    const limit = (user: number | undefined, project: number) =>
      merge({
        ...(user !== undefined && { user: { maxToolCallTimeout: user } }),
        project: { maxToolCallTimeout: project },
      })
    expect(toOptions(limit(5_000, 3_000)).maxToolCallTimeout).toBe(3_000)
    expect(toOptions(limit(undefined, 9_000)).maxToolCallTimeout).toBe(9_000)
    const raised = limit(5_000, 9_000)
    expect(toOptions(raised).maxToolCallTimeout).toBe(5_000)
    expect(raised.problems).toEqual([
      warning('maxToolCallTimeout', /9 s is more than what you wrote, 5 s, so it does not count/),
    ])
  })
})
