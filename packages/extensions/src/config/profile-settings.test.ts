import { expect, test } from 'vitest'
import { emptyLayer, toLayer } from './load-config.ts'
import { mergeConfig } from './merge-config.ts'
import { toProfiles } from './profile-settings.ts'

function read(user: object, project: object = {}) {
  const layers = {
    user: toLayer({ profiles: user }, 'user.json', 'user'),
    project: toLayer({ profiles: project }, 'project.json', 'project'),
    environment: emptyLayer,
    flags: emptyLayer,
  }
  const { values, problems } = mergeConfig(layers)
  return { profiles: toProfiles(values, [layers.user]), problems }
}

test('reads profiles', () => {
  const work = { servers: ['git*'], tools: ['notes'], exclude: ['*__write'], token: 'secret:WORK' }
  const { profiles } = read({ work, '//': 'a comment' })
  expect([...profiles.values()]).toEqual([{ name: 'work', problem: null, ...work }])
})

test.each([
  [{ servers: ['a'], exlude: ['b'] }, 'profiles.work.exlude'],
  [{ servers: ['a'], exclude: 'b' }, 'profiles.work.exclude'],
  [{ servers: ['a'], exclude: [5] }, 'profiles.work.exclude[0]'],
  [{ servers: ['a'], token: 'plain' }, 'profiles.work.token'],
])('a profile that is partly invalid must not be used: %j', (work, field) => {
  expect(read({ work }).profiles.get('work')?.problem?.field).toBe(field)
})

test('a project cannot define or change profiles', () => {
  const { profiles, problems } = read(
    { work: { servers: ['a'] } },
    { work: { servers: ['*'] }, more: { tools: ['*'] } },
  )
  expect([...profiles.values()]).toEqual([{ name: 'work', problem: null, servers: ['a'] }])
  expect(problems.map(({ field }) => field)).toEqual(['profiles.work.servers', 'profiles.more.tools'])
})
