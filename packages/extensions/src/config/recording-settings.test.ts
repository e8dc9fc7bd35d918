import { expect, test } from 'vitest'
import { toOptions } from './config-options.ts'
import { emptyLayer, toLayer } from './load-config.ts'
import { mergeConfig } from './merge-config.ts'
import { readFlags } from './read-flags.ts'
import { readVariables } from './read-variables.ts'
import { toRecordingSettings } from './recording-settings.ts'

interface Sources {
  readonly user?: object
  readonly project?: object
  readonly env?: Record<string, string>
  readonly flags?: readonly string[]
}

function merge({ user = {}, project = {}, env = {}, flags }: Sources) {
  return mergeConfig({
    user: toLayer(user, 'user.json', 'user'),
    project: toLayer(project, 'project.json', 'project'),
    environment: readVariables(env),
    flags: flags === undefined ? emptyLayer : readFlags(flags),
  })
}

test('by default, calls are recorded for 30 days, and the log has four files of 10 MiB', () => {
  expect(toRecordingSettings(merge({}).values)).toEqual({
    journal: { enabled: true, maxAgeDays: 30, maxBytes: 256 << 20 },
    log: { enabled: true, level: 'info', maxBytes: 10 << 20, maxFiles: 3 },
  })
})

test('reads the settings of the user, of variables and of flags; they are not options of the runtime', () => {
  const user = {
    journal: { enabled: false, maxAgeDays: 7, maxSizeMb: 1 },
    log: { enabled: false, level: 'debug', maxSizeMb: 2, maxFiles: 9 },
  }
  expect(toRecordingSettings(merge({ user }).values)).toEqual({
    journal: { enabled: false, maxAgeDays: 7, maxBytes: 1 << 20 },
    log: { enabled: false, level: 'debug', maxBytes: 2 << 20, maxFiles: 9 },
  })
  expect(toOptions(merge({ user }))).toEqual({ approval: { rules: {} } })
  const env = { CURFEW_JOURNAL_ENABLED: 'true', CURFEW_LOG_LEVEL: 'warn', CURFEW_LOG_MAX_FILES: '2' }
  expect(toRecordingSettings(merge({ user, env, flags: ['log.level=error'] }).values)).toMatchObject({
    journal: { enabled: true, maxAgeDays: 7 },
    log: { enabled: false, level: 'error', maxFiles: 2 },
  })
})

test('a project cannot set them, whether it would record less or more', () => {
  const project = { journal: { enabled: false, maxSizeMb: 100_000 }, log: { level: 'debug' } }
  const { values, problems } = merge({ project })
  expect(toRecordingSettings(values)).toEqual(toRecordingSettings(merge({}).values))
  expect(problems.map(({ file, field, message }) => `${file} ${field}: ${message}`)).toEqual([
    'project.json journal.enabled: a project cannot change what is recorded, so it is ignored',
    'project.json journal.maxSizeMb: a project cannot change what is recorded, so it is ignored',
    'project.json log.level: a project cannot change what is recorded, so it is ignored',
  ])
})

test.each([
  ['journal.maxAgeDays', { journal: { maxAgeDays: 0 } }],
  ['journal.maxSizeMb', { journal: { maxSizeMb: 1e9 } }],
  ['log.maxFiles', { log: { maxFiles: 1_000 } }],
  ['log.level', { log: { level: 'loud' } }],
])('an invalid %s is reported', (field, user) => {
  expect(toLayer(user, 'user.json', 'user').problems).toMatchObject([{ severity: 'error', field }])
})
