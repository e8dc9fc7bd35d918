import { describe, expect, test } from 'vitest'
import type { ConfigLayer, LayerSource } from './config-layer.ts'
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

function layer(source: LayerSource, values: Values = {}): ConfigLayer {
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

test('default < user < project < environment < flags, each with its source', () => {
  const places: Places = {
    user: { heartbeat: 1 },
    project: { heartbeat: 2 },
    environment: { heartbeat: 3 },
    flags: { heartbeat: 4 },
  }
  const seen: unknown[] = []
  for (const drop of ['flags', 'environment', 'project', 'user', null] as const) {
    const merged = merge(places)
    const setting = toSettings(merged).find(({ key }) => key === 'heartbeat')!
    seen.push([setting.source, setting.value, toOptions(merged).heartbeat])
    if (drop !== null) delete places[drop]
  }
  expect(seen).toEqual([
    ['flag', 4, 4],
    ['environment', 3, 3],
    ['project', 2, 2],
    ['user', 1, 1],
    ['default', 30_000, undefined],
  ])
})

test('groups are merged key by key', () => {
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

test('loops: a later layer turns them off, or on with its settings', () => {
  const on = { loops: true, 'loops.nudgeAfter': 2 }
  const off = { loops: false }
  expect(toOptions(merge({ user: on })).loops).toEqual({ nudgeAfter: 2 })
  expect(toOptions(merge({ user: on, environment: off })).loops).toBe(false)
  expect(toOptions(merge({ user: off, project: on })).loops).toEqual({ nudgeAfter: 2 })
  const keys = toSettings(merge({ user: on, environment: off })).map(({ key }) => key)
  expect(keys).toContain('loops')
  expect(keys).not.toContain('loops.nudgeAfter')
})

test('an adapter without a configured timeout uses a configured toolCallTimeout', () => {
  const of = (places: Places, key: string) => toSettings(merge(places)).find((setting) => setting.key === key)
  expect(of({}, 'timeouts.script')).toMatchObject({ value: 300_000, source: 'default' })
  expect(of({}, 'timeouts.function')).toMatchObject({ value: 180_000, source: 'default' })
  const written = { user: { toolCallTimeout: 900_000, 'timeouts.script': 5 } }
  expect(of(written, 'timeouts.script')).toMatchObject({ value: 5, source: 'user' })
  expect(of(written, 'timeouts.plan')).toMatchObject({ value: 900_000, source: 'toolCallTimeout' })
  expect(of(written, 'timeouts.api')).toMatchObject({ value: 300_000, source: 'toolCallTimeout' })
})

describe('a project cannot loosen the settings of the user', () => {
  test('rules of all layers are combined', () => {
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
    'user %s, project %s: the stricter one is used',
    (user, project) => {
      const places = { user: { 'approval.default': user }, project: { 'approval.default': project } }
      const looser = verdicts.indexOf(project) < verdicts.indexOf(user)
      expect(verdict(places)).toBe(looser ? user : project)
      expect(merge(places).problems).toEqual(
        looser ? [warning('approval.default', /looser than your setting.+is ignored/)] : [],
      )
    },
  )

  test('without a setting of the user, a project must be stricter than the built-in default', () => {
    const allow = { project: { 'approval.default': 'allow' } }
    expect(verdict(allow)).toBeUndefined()
    expect(merge(allow).problems).toEqual([warning('approval.default', /looser than the default, "ask"/)])
    expect(verdict({ project: { 'approval.default': 'deny' } })).toBe('deny')
  })

  test('environment and flags belong to the user and override the project', () => {
    expect(
      verdict({ project: { 'approval.default': 'deny' }, environment: { 'approval.default': 'allow' } }),
    ).toBe('allow')
    expect(verdict({ project: { 'approval.default': 'ask' }, flags: { 'approval.default': 'deny' } })).toBe(
      'deny',
    )
  })

  test.each(['user', 'environment', 'flags'] as const)(
    'deny in %s: allow rules of the project are ignored, deny rules are used',
    (place) => {
      const merged = merge({
        [place]: { 'approval.default': 'deny', 'approval.rules.allow': ['mine'] },
        project: { 'approval.rules.allow': ['theirs'], 'approval.rules.deny': ['x'] },
      })
      expect(merged.projectAllowIgnored).toMatch(/deny/)
      expect(toOptions(merged).approval.rules).toEqual({ allow: ['mine'], deny: ['x'] })
      expect(merged.problems).toEqual([warning('approval.rules.allow', /"deny".+is ignored/)])
    },
  )

  test('allow rules of a project are used if the project itself sets deny, or the user overrides it', () => {
    const project = { 'approval.default': 'deny', 'approval.rules.allow': ['theirs'] }
    const alone = merge({ project })
    expect(alone.projectAllowIgnored).toBeNull()
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
  ])('after an error in %s, whether allow rules of the project are ignored: %s', (field, ignored) => {
    const error = { severity: 'error', file: 'user/config.json', field, message: 'is invalid' } as const
    const merged = mergeConfig({
      user: { ...layer('user'), problems: [error] },
      project: layer('project', { 'approval.rules.allow': ['theirs'] }),
      environment: layer('environment'),
      flags: layer('flag'),
    })
    expect(toOptions(merged).approval.rules).toEqual(ignored ? {} : { allow: ['theirs'] })
    expect(merged.problems).toEqual(
      ignored ? [warning('approval.rules.allow', /cannot be read, so it is ignored/)] : [],
    )
  })

  test.each<[string, SettingValue, SettingValue | undefined, RegExp | null]>([
    ['limits.continuations', 50, undefined, null],
    ['limits.continuations', 200, undefined, /200 is more than the default, 100, so it is ignored/],
    ['limits.continuations', 200, 500, null],
    ['limits.continuations', 600, 500, /600 is more than your setting, 500/],
    ['budget.turn.tokens', 1_000, undefined, null],
    ['budget.turn.tokens', 1_000, 500, /1000 is more than your setting, 500/],
    ['budget.conversation.money', 2.5, 2, /2\.5 is more than your setting, 2/],
    ['modelTimeouts.firstToken', 30_000, undefined, null],
    ['modelTimeouts.firstToken', 90_000, undefined, /1 min 30 s is more than the default, 1 min/],
    ['modelTimeouts.total', 900_000, 1_200_000, null],
    ['fetchAllow', ['169.254.169.254'], undefined, /a project cannot allow requests to private addresses/],
    ['fetchAllow', ['localhost'], ['localhost'], /a project cannot allow/],
    ['limits.callsPerTurn', 2, 3, null],
    ['limits.callsPerTurn', 100_000, 3, /100000 is more than your setting, 3/],
    ['limits.callsPerTurn', 100_000, undefined, /100000 is more than the default, 1000/],
    ['limits.depth', 9, undefined, /9 is more than the default, 8/],
    ['loops', false, undefined, /^a project cannot turn off loops/],
    ['loops', false, true, /^a project cannot turn off loops/],
    ['loops', false, false, null],
    ['loops', true, false, null],
    ['loops.nudgeAfter', 2, undefined, null],
    ['loops.stopAfter', 50, 7, /50 is more than your setting, 7/],
    ['breaker.maxCallsPerWindow', 1_000_000, 5, /1000000 is more than your setting, 5/],
    ['breaker.failures', 6, undefined, /6 is more than the default, 5/],
    ['breaker.resetTime', 90_000, undefined, null],
    ['breaker.resetTime', 1_000, undefined, /1 s is less than the default, 1 min/],
    ['breaker.cooldown', 20_000, 25_000, /20 s is less than your setting, 25 s/],
    ['grace', 100, undefined, null],
    ['grace', 20_000, 250, /20 s is more than your setting, 250 ms/],
  ])('%s: a project may only be stricter (%j, user %j)', (key, value, user, problem) => {
    const merged = merge({ project: { [key]: value }, ...(user !== undefined && { user: { [key]: user } }) })
    expect(merged.problems).toEqual(problem === null ? [] : [warning(key, problem)])
    expect(merged.values.get(key)?.value).toBe(problem === null ? value : user)
  })

  test('maxToolCallTimeout of a project is used only if it is lower', () => {
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
      warning('maxToolCallTimeout', /9 s is more than your setting, 5 s, so it is ignored/),
    ])
  })
})

describe('tools', () => {
  test('entries are merged setting by setting, and a later source comes last', () => {
    const merged = merge({
      user: { 'tools.a*.timeout': 1, 'tools.*b.timeout': 2, 'tools.a*.approval': 'allow' },
      project: { 'tools.a*.timeout': 3, 'tools.c.resources': [] },
      flags: { 'tools.c.readOnly': true },
    })
    const { tools } = toOptions(merged)
    expect(tools).toEqual({
      'a*': { timeout: 3, approval: 'allow' },
      '*b': { timeout: 2 },
      c: { resources: [], readOnly: true },
    })
    expect(toSettings(merged).filter(({ key }) => key.startsWith('tools.'))).toEqual([
      { key: 'tools.*b.timeout', kind: 'duration', value: 2, source: 'user', file: 'user/config.json' },
      { key: 'tools.a*.approval', kind: 'choice', value: 'allow', source: 'user', file: 'user/config.json' },
      { key: 'tools.a*.timeout', kind: 'duration', value: 3, source: 'project', file: 'project/config.json' },
      {
        key: 'tools.c.resources',
        kind: 'strings',
        value: [],
        source: 'project',
        file: 'project/config.json',
      },
      { key: 'tools.c.readOnly', kind: 'switch', value: true, source: 'flag' },
    ])
  })

  test.each(['readOnly', 'concurrent', 'idempotent'])('a project can only set %s to false', (name) => {
    const key = `tools.x.${name}`
    const merged = merge({
      user: { 'tools.y.readOnly': true },
      project: { [key]: true, 'tools.x.timeout': 5 },
    })
    expect(toOptions(merged).tools).toEqual({ x: { timeout: 5 }, y: { readOnly: true } })
    expect(merged.problems).toEqual([warning(key, /^a project can only set false, so it is ignored$/)])
    const stricter = merge({ user: { [key]: true }, project: { [key]: false } })
    expect(stricter.problems).toEqual([])
    expect(toOptions(stricter).tools).toEqual({ x: { [name]: false } })
  })

  test("a project's approval can only be stricter, and counts as a rule of its own", () => {
    const merged = merge({
      user: { 'tools.*.approval': 'deny', 'tools.b.approval': 'allow', 'tools.c.approval': 'deny' },
      project: {
        'tools.long_name.approval': 'ask',
        'tools.b.approval': 'deny',
        'tools.c.approval': 'ask',
        'tools.d.approval': 'allow',
      },
    })
    // As an entry of `tools`, the longer pattern "long_name" would override the user's "*".
    expect(toOptions(merged)).toEqual({
      approval: { rules: { ask: ['long_name'], deny: ['b'] } },
      tools: { '*': { approval: 'deny' }, c: { approval: 'deny' } },
    })
    expect(merged.problems).toEqual([
      warning('tools.c.approval', /^"ask" is looser than your setting, "deny"/),
      warning('tools.d.approval', /^a project can only set "ask" or "deny"/),
    ])
  })

  test("a project's ask cannot loosen a default of deny: it only concerns what the user allows", () => {
    const project = { 'approval.rules.ask': ['run'], 'tools.a.approval': 'ask' }
    const merged = merge({ user: { 'approval.default': 'deny', 'approval.rules.ask': ['mine'] }, project })
    const rules = { ask: ['mine'], askIfAllowed: ['run', 'a'] }
    expect(toOptions(merged).approval).toEqual({ default: 'deny', rules })
    expect(merged.problems).toEqual([])
    const ofProject = merge({ project: { ...project, 'approval.default': 'deny' } })
    expect(toOptions(ofProject).approval).toEqual({ default: 'deny', rules: { ask: ['run', 'a'] } })
    // Without a default of deny, they are stricter than no rule, also if an error makes the user's settings incomplete.
    const problems = [
      { severity: 'error', file: 'user/config.json', field: 'approval.rules.deny[0]', message: '' },
    ] as const
    const broken = mergeConfig({
      user: { values: new Map(), problems },
      project: layer('project', project),
      environment: layer('environment'),
      flags: layer('flag'),
    })
    expect(toOptions(broken).approval).toEqual({ rules: { ask: ['run', 'a'] } })
  })

  test.each([
    ['tools.a.approval', true],
    ['tools', true],
    ['tools.a', true],
    ['tools.a.timeout', false],
    ['tools.a.resources[0]', false],
  ])("an error in the user's %s can affect approval: %s", (field, isIgnored) => {
    const error = { severity: 'error', file: 'user/config.json', field, message: 'no' } as const
    const { projectAllowIgnored } = mergeConfig({
      user: { values: new Map(), problems: [error] },
      project: layer('project'),
      environment: layer('environment'),
      flags: layer('flag'),
    })
    expect(projectAllowIgnored !== null).toBe(isIgnored)
  })
})

test('toolCallTimeout overrides the default of an adapter, but only raises a long one', () => {
  const shown = (toolCallTimeout: number, adapter: string): unknown => {
    const settings = toSettings(merge({ user: { toolCallTimeout } }))
    const { value, source } = settings.find(({ key }) => key === `timeouts.${adapter}`)!
    return [value, source]
  }
  expect(shown(120_000, 'api')).toEqual([120_000, 'toolCallTimeout'])
  expect(shown(900_000, 'api')).toEqual([300_000, 'toolCallTimeout'])
  expect(shown(120_000, 'script')).toEqual([300_000, 'default'])
  expect(shown(900_000, 'script')).toEqual([900_000, 'toolCallTimeout'])
  expect(shown(120_000, 'background')).toEqual([28_800_000, 'default'])
})

test("the user's list of secret files replaces the default one; a project only adds patterns", () => {
  const shown = (places: Places) =>
    toSettings(merge(places))
      .filter(({ key }) => key === 'secretFiles')
      .map(({ source, value }) => [source, value])
  const [[source, patterns]] = shown({}) as [[string, string[]]]
  expect([source, patterns.includes('.env*')]).toEqual(['default', true])
  const project = { secretFiles: ['/private', '!.env', '\uFEFF!*'] }
  expect(shown({ project })).toEqual([
    ['default', patterns],
    ['project', ['/private']],
  ])
  expect(merge({ project }).problems).toEqual([
    warning('secretFiles[1]', /only add patterns, so "!.env" is ignored/),
    warning('secretFiles[2]', /is ignored/),
  ])
  expect(shown({ user: { secretFiles: ['a'] }, project, flags: { secretFiles: ['b'] } })).toEqual([
    ['flag', ['b']],
    ['project', ['/private']],
  ])
  expect(toOptions(merge({ user: { secretFiles: ['a'] } }))).not.toHaveProperty('secretFiles')
})
