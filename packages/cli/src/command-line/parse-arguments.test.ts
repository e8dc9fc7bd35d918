import { describe, expect, it } from 'vitest'
import { defineCommand, UsageError } from '../command.ts'
import { parseArguments } from './parse-arguments.ts'

const command = defineCommand({
  name: 'sample',
  summary: 'Do something',
  arguments: {
    name: { placeholder: 'NAME', summary: 'A name' },
    kind: { placeholder: 'KIND', summary: 'A kind', choices: ['small', 'large'], optional: true },
    command: {
      placeholder: 'COMMAND',
      summary: 'A command',
      optional: true,
      multiple: true,
      afterDashes: true,
    },
  },
  options: {
    json: { type: 'boolean', summary: 'JSON', conflicts: ['view'] },
    view: { type: 'choice', choices: ['brief', 'full'], placeholder: 'VIEW', summary: 'A view' },
    env: { type: 'string', short: 'e', placeholder: 'NAME=VALUE', multiple: true, summary: 'A variable' },
    port: {
      type: 'integer',
      placeholder: 'N',
      min: 1,
      max: 9,
      default: 5,
      requires: ['http'],
      summary: 'A port',
    },
    http: { type: 'boolean', summary: 'HTTP' },
    timeout: { type: 'duration', placeholder: 'DURATION', summary: 'A limit' },
  },
  examples: { 'curfew sample me': 'An example.' },
  usageHint: (args) => (args.includes('npx') ? 'Use --.' : null),
  run: async () => 0,
})

const parse = (...args: string[]) => parseArguments(command, 'curfew sample', args)
const absent = { kind: undefined, command: [], json: false, view: undefined, env: [], port: 5, http: false }

describe('parseArguments', () => {
  it('fills in defaults', async () => {
    expect(await parse('me')).toEqual({ name: 'me', ...absent, timeout: undefined })
  })

  it.each([
    ['5', 5_000],
    ['0.5', 500],
    ['250ms', 250],
    ['2m', 120_000],
    ['1d', 86_400_000],
  ])('reads the duration %s as %d ms', async (value, ms) => {
    expect(await parse('me', '--timeout', value)).toMatchObject({ timeout: ms })
  })

  it('accepts options anywhere, with = or without, and the last one wins', async () => {
    expect(
      await parse('--http', 'me', '--port=3', '--view', 'full', 'large', '--port', '4', '-e', 'A=1', '-eB=2'),
    ).toMatchObject({ name: 'me', kind: 'large', view: 'full', port: 4, env: ['A=1', 'B=2'] })
  })

  it('passes on the arguments after --', async () => {
    expect(await parse('me', '--json', '--', 'npx', '-y', '--json')).toMatchObject({
      json: true,
      command: ['npx', '-y', '--json'],
    })
  })

  it.each([['--help'], ['-h'], ['me', '--nonsense', '-h'], ['-h', 'me', 'large', 'more']])(
    'returns help for %j',
    async (...args) => {
      expect(await parse(...args)).toBe('help')
    },
  )

  it('ignores --help after --', async () => {
    expect(await parse('me', '--', '--help')).toMatchObject({ command: ['--help'] })
  })

  it.each<[string[], string]>([
    [[], 'missing argument NAME. Example: curfew sample me.'],
    [[''], 'missing argument NAME. Example: curfew sample me.'],
    [['me', 'medium'], 'KIND: expected small or large, got "medium".'],
    [['me', 'large', 'more'], 'unexpected argument "more".'],
    [['me', 'large', 'npx'], 'unexpected argument "npx". Use --.'],
    [['me', '--jsno'], 'unknown option "--jsno". Did you mean "--json"?'],
    [['me', '-x'], 'unknown option "-x".'],
    [['me', '--constructor'], 'unknown option "--constructor".'],
    [['me', '--json=5'], '--json: expected no value, got "5".'],
    [['me', '--view'], '--view: expected brief or full, got nothing.'],
    [['me', '--view', 'all'], '--view: expected brief or full, got "all".'],
    [['me', '--env'], '--env: expected NAME=VALUE, got nothing.'],
    [
      ['me', '-e', '--json'],
      '-e: expected NAME=VALUE, got the option --json. If it is the value, write --env=--json.',
    ],
    [['me', '--port', '0'], '--port: expected an integer from 1 to 9, got "0".'],
    [['me', '--port', '1.5'], '--port: expected an integer from 1 to 9, got "1.5".'],
    [['me', '--port', '3'], '--port requires --http.'],
    [['me', '--view', 'full', '--json'], '--json and --view cannot be combined.'],
    [
      ['me', '--timeout', 'soon'],
      '--timeout: expected a duration such as 30 (seconds), 250ms or 2m, got "soon".',
    ],
    [['me', '--timeout', '0'], '--timeout: expected a duration such as 30 (seconds), 250ms or 2m, got "0".'],
  ])('rejects %j', async (args, message) => {
    const error = await parse(...args).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as Error).message).toBe(`curfew sample: ${message} See curfew sample --help`)
  })

  it('does not repeat an unexpected argument that may be a secret', async () => {
    const secret = defineCommand({ name: 'set', summary: 'Set', unexpectedArgument: 'no values here' })
    await expect(parseArguments(secret, 'curfew set', ['hunter2'])).rejects.toThrow(
      'curfew set: no values here. See curfew set --help',
    )
  })
})

describe('an option whose value may be omitted', () => {
  const optional = defineCommand({
    name: 'sample',
    summary: 'Do something',
    options: {
      prompt: { type: 'string', short: 'p', placeholder: 'PROMPT', optionalValue: true, summary: 'A prompt' },
      resume: { type: 'string', placeholder: 'ID', optionalValue: true, summary: 'An id' },
      model: { type: 'string', placeholder: 'MODEL', summary: 'A model' },
      json: { type: 'boolean', summary: 'JSON' },
    },
    run: async () => 0,
  })

  it.each<[string[], object]>([
    [['-p', 'hi'], { prompt: 'hi' }],
    [['-phi'], { prompt: 'hi' }],
    [['--prompt=hi'], { prompt: 'hi' }],
    [['--prompt', 'hi'], { prompt: 'hi' }],
    [['-p'], { prompt: '' }],
    [['-p', '-'], { prompt: '-' }],
    [['-p', '--json'], { prompt: '', json: true }],
    [['-p', '--model', 'm'], { prompt: '', model: 'm' }],
    [['-p', '- one'], { prompt: '- one' }],
    [['-p', '--dry-run is what?'], { prompt: '--dry-run is what?' }],
    [['-p', '-5'], { prompt: '-5' }],
    [['--prompt=--json'], { prompt: '--json' }],
    [['--resume', '-p', 'hi'], { resume: '', prompt: 'hi' }],
    [['--resume', 'k3f', '-p', 'hi'], { resume: 'k3f', prompt: 'hi' }],
    [['-p', 'hi', '--resume'], { resume: '', prompt: 'hi' }],
    [['--resume', '--resume', 'k3f'], { resume: 'k3f' }],
    [['--model', 'm', '-p', 'hi'], { model: 'm', prompt: 'hi' }],
    [['-p', 'a=b'], { prompt: 'a=b' }],
    [['-p', ''], { prompt: '' }],
    [['-p', '--'], { prompt: '' }],
  ])('%j', async (args, expected) => {
    const absent = { prompt: undefined, resume: undefined, model: undefined, json: false }
    expect(await parseArguments(optional, 'curfew sample', args)).toEqual({ ...absent, ...expected })
  })

  it.each([[['-p', 'a', 'b']], [['--model', '--resume']], [['-p', '--unknown']]])(
    '%j is rejected',
    async (args) => {
      await expect(parseArguments(optional, 'curfew sample', args)).rejects.toThrow(UsageError)
    },
  )
})
