import type { SecretLookup } from '@curfew/core/internal'
import type { ProfileSettings } from '@curfew/extensions'
import { expect, test } from 'vitest'
import { describeEmpty, findProfile, readProfileTokens } from './gateway-profiles.ts'

const profile = (name: string, more: Partial<ProfileSettings> = {}): ProfileSettings => ({
  name,
  problem: null,
  token: `secret:${name.toUpperCase()}`,
  ...more,
})
const problem = {
  severity: 'warning',
  file: 'config.json',
  field: 'profiles.odd.exlude',
  message: 'unknown',
} as const

async function read(lookups: Readonly<Record<string, SecretLookup>>, ...profiles: ProfileSettings[]) {
  const warnings: string[] = []
  const accesses = await readProfileTokens(new Map(profiles.map((one) => [one.name, one])), {
    vault: { read: async (name) => lookups[name] ?? { kind: 'missing' } },
    mainToken: 'main-token-0123456789',
    warn: (message) => warnings.push(message),
  })
  return { names: accesses.map((access) => access.profile.name), warnings: warnings.join('\n') }
}

const found = (value: string): SecretLookup => ({ kind: 'found', value })

test('reads the tokens of profiles; one that is not usable is left out', async () => {
  const good = found('good-token-0123456789')
  expect(await read({ GOOD: good }, profile('good'), { name: 'plain', problem: null })).toEqual({
    names: ['good'],
    warnings: '',
  })
  for (const [name, lookups, more, warning] of [
    [
      'gone',
      {},
      {},
      'the secret GONE is not stored; store it with: curfew secret set GONE --for profile:gone',
    ],
    ['other', { OTHER: { kind: 'elsewhere', uses: ['host:a.example'] } }, {}, 'is stored for a.example'],
    ['short', { SHORT: found('short') }, {}, 'expected at least 16 characters'],
    ['main', { MAIN: found('main-token-0123456789') }, {}, 'its token is also that of the gateway'],
    ['odd', { ODD: found('odd-token-0123456789') }, { problem }, 'profiles.odd.exlude'],
  ] as const) {
    const { names, warnings } = await read({ GOOD: good, ...lookups }, profile('good'), profile(name, more))
    expect(names).toEqual(['good'])
    expect(warnings).toContain(warning)
    expect(warnings).toContain(`the profile ${name} cannot be selected by its token: `)
  }
})

test('of two profiles with the same token, neither can be selected', async () => {
  const same = found('same-token-0123456789')
  const lookups = { ONE: same, TWO: same, GOOD: found('good-token-0123456789') }
  expect(await read(lookups, profile('one'), profile('two'), profile('good'))).toEqual({
    names: ['good'],
    warnings: [
      'the profile one cannot be selected by its token: its token is also that of the profile two',
      'the profile two cannot be selected by its token: its token is also that of the profile one',
    ].join('\n'),
  })
})

test('a profile that is unknown or partly invalid is rejected', () => {
  const profiles = new Map(
    [profile('work', { servers: ['a'] }), profile('odd', { problem })].map((one) => [one.name, one]),
  )
  expect(findProfile('work', profiles)).toEqual({ name: 'work', servers: ['a'] })
  expect(() => findProfile('wrk', profiles)).toThrow('unknown profile "wrk"; did you mean "work"?')
  expect(() => findProfile('odd', profiles)).toThrow('the profile odd is invalid')
  expect(() => findProfile('any', new Map())).toThrow('config.json has no profiles')
})

test('a profile whose servers do not exist is reported', () => {
  const known = ['github', 'memory']
  expect(describeEmpty({ name: 'work', servers: ['githb', 'x*'] }, known)).toBe(
    'the profile work contains nothing: no server here matches "githb", "x*"; did you mean "github"?',
  )
  expect(describeEmpty({ name: 'work', servers: ['x'] }, [])).toMatch(/matches "x"$/)
  for (const used of [{ servers: ['x', 'git*'] }, { servers: ['x'], tools: ['mcp__*'] }, { exclude: ['x'] }])
    expect(describeEmpty({ name: 'work', ...used }, known)).toBeNull()
})
