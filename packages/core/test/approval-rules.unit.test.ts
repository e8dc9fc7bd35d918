import { createRuntime, defineTool, niceTool, timeoutTool } from '@curfew/core'
import { scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { codes, person, setUp } from './support/approval-setup.ts'

describe('rules', () => {
  test.each([
    ['write_file', 'allowed'],
    ['write_*', 'allowed'],
    ['*', 'allowed'],
    ['write_file(src/*)', 'allowed'],
    ['write_file(src/a.ts)', 'allowed'],
    ['write_file({"content":"x","path":"src/a.ts"})', 'allowed'],
    ['write_file(src/?.ts)', 'allowed'],
    ['write_file(test/*)', 'denied'],
    ['write_file(src/\\*)', 'denied'],
    ['read_file', 'denied'],
    ['write_file()', 'denied'],
  ])('allow %s: %s', async (rule, outcome) => {
    const { run, write } = setUp({ approval: { rules: { allow: [rule] } } })
    expect(codes(await run([write('src/a.ts')]))).toEqual([outcome === 'allowed' ? 'success' : 'DENIED'])
  })

  test.each(['src/../../etc/passwd', 'src/..', '..'])('a glob does not allow %s', async (path) => {
    const { run, write } = setUp({ approval: { rules: { allow: ['write_file(src/*)', 'write_file(..*)'] } } })
    expect(codes(await run([write(path)]))).toEqual(['DENIED'])
  })

  test.each([
    [['git', 'status'], 'success'],
    [['git'], 'success'],
    [['git', 'log', '--all'], 'success'],
    [['rm', 'git'], 'DENIED'],
    [['git status'], 'DENIED'],
    [['src/a'], 'success'],
    [['src/a', '/etc/passwd'], 'DENIED'],
    [['src/../x'], 'DENIED'],
    [['git', '../x'], 'DENIED'],
    [['a b'], 'success'],
    [['a', 'b'], 'DENIED'],
  ])('matches an array word by word: %j: %s', async (args, outcome) => {
    const { clock, runtime } = setUp({
      approval: { rules: { allow: ['exec(git *)', 'exec(src/*)', 'exec(a\\ b)'] } },
    })
    const list = {
      type: 'object',
      properties: { args: { type: 'array', items: { type: 'string' } } },
    } as const
    runtime.register(scriptedTool({ clock, name: 'exec', parameters: list, script: [] }))
    const results = await clock.runUntil(runtime.execute([{ id: 'c', name: 'exec', params: { args } }]))
    expect(codes(results)).toEqual([outcome])
  })

  test('deny matches the joined array and each element', async () => {
    const { clock, runtime } = setUp({
      approval: { default: 'allow', rules: { deny: ['exec(rm *)', 'exec(*.env)'] } },
    })
    const list = {
      type: 'object',
      properties: { args: { type: 'array', items: { type: 'string' } } },
    } as const
    runtime.register(scriptedTool({ clock, name: 'exec', parameters: list, script: [] }))
    const lists = [
      ['rm', '-rf'],
      ['cat', '.env'],
      ['cat', 'a'],
    ]
    const calls = lists.map((args, index) => ({ id: `${index}`, name: 'exec', params: { args } }))
    expect(codes(await clock.runUntil(runtime.execute(calls)))).toEqual(['DENIED', 'DENIED', 'success'])
  })

  test('allow matches neither undeclared arguments nor .. inside JSON', async () => {
    const rules = { allow: ['write_file(a)', 'write_file({"content":*,"path":"src/*"})'] }
    const { run, write } = setUp({ approval: { rules } })
    const extra = { name: 'write_file', params: { path: 'a', sudo: true } }
    expect(codes(await run([write('a'), extra, write('src/b'), write('src/../b')]))).toEqual([
      'success',
      'DENIED',
      'success',
      'DENIED',
    ])
  })

  test('deny matches every argument', async () => {
    const { run, write } = setUp({
      approval: { default: 'allow', rules: { deny: ['write_file(*password*)'] } },
    })
    expect(codes(await run([write('a', 'my password'), write('b', 'fine')]))).toEqual(['DENIED', 'success'])
  })

  test('precedence: deny > ask > allow', async () => {
    const ask = person('no')
    const rules = { allow: ['*'], ask: ['write_file(b)', 'write_file(c)'], deny: ['write_file(c)'] }
    const { run, write } = setUp({ approval: { rules }, ask })
    expect(codes(await run([write('a'), write('b'), write('c')]))).toEqual(['success', 'DENIED', 'DENIED'])
    expect(ask.asked).toMatchObject([{ askRule: 'write_file(b)' }])
  })
})

test('an answer that the default deny makes void is not revived by askIfAllowed', async () => {
  const ask = person('once')
  const rules = { remembered: ['write_file(a)'], askIfAllowed: ['write_file'], allow: ['write_file(c)'] }
  const { run, write } = setUp({ approval: { default: 'deny', rules }, ask })
  expect(codes(await run([write('a'), write('b'), write('c')]))).toEqual(['DENIED', 'DENIED', 'success'])
  expect(ask.asked).toMatchObject([{ askRule: 'write_file' }])
})

describe('rules for commands inside timeout and nice', () => {
  const inner = (command_args: string[]) => ({ command_args, seconds: 5, dry_run: true })

  test.each([
    [['rm', '-rf', 'x']],
    [['nice', '-n', '5', 'rm', '-rf', 'x']],
    [['timeout', '5', 'env', 'A=1', 'rm', '-rf', 'x']],
    [['sh', '-c', 'cd y && rm -rf x']],
    [['sh', '-c', 'cd y;rm -rf x']],
    [['sh', '-c', 'cd y\nrm\t-rf x']],
    [['/bin/rm', '-rf', 'x']],
    [['sh', '-c', '\\rm -rf x']],
  ])('%j is denied by "*(rm *)", whichever tool runs it', async (command_args) => {
    const runtime = createRuntime({ approval: { default: 'allow', rules: { deny: ['*(rm *)'] } } })
    runtime.register(timeoutTool, niceTool)
    const results = await runtime.execute(
      ['timeout', 'nice'].map((name) => ({ id: name, name, params: inner(command_args) })),
    )
    expect(results).toMatchObject([{ code: 'DENIED' }, { code: 'DENIED' }])
    const [other] = await runtime.execute([{ id: '1', name: 'timeout', params: inner(['ls', 'farm', 'x']) }])
    expect(other).toMatchObject({ status: 'success' })
    await runtime.close()
  })

  test.each([
    ['timeout(rm *)', 'nice', ['rm', '-r', 'x']],
    ['nice(rm *)', 'timeout', ['rm', '-r', 'x']],
    ['timeout(rm *)', 'timeout', ['sh', '-c', 'ls | xargs rm']],
    ['timeout(rm *)', 'nice', ['sh', '-c', 'ls | xargs /bin/rm']],
    ['timeout(rm *)', 'timeout', ['rm']],
  ])('deny %s also denies %s with %j', async (rule, name, command_args) => {
    const runtime = createRuntime({ approval: { default: 'allow', rules: { deny: [rule] } } })
    runtime.register(timeoutTool, niceTool)
    const [result] = await runtime.execute([{ id: '1', name, params: inner(command_args) }])
    expect(result).toMatchObject({ code: 'DENIED' })
    await runtime.close()
  })

  test('a rule without arguments, or an allow rule, applies only to its own tool', async () => {
    const rules = { allow: ['timeout(ls *)'], deny: ['sleep', 'timeout(rm *)'] }
    const runtime = createRuntime({ approval: { default: 'deny', rules } })
    runtime.register(timeoutTool, niceTool)
    const params = inner(['ls', '-l'])
    const results = await runtime.execute(['timeout', 'nice'].map((name) => ({ id: name, name, params })))
    expect(results).toMatchObject([{ status: 'success' }, { code: 'DENIED' }])
    const denied = createRuntime({ approval: { default: 'allow', rules: { deny: ['nice'] } } })
    denied.register(timeoutTool, niceTool)
    const both = await denied.execute(['timeout', 'nice'].map((name) => ({ id: name, name, params })))
    expect(both).toMatchObject([{ status: 'success' }, { code: 'DENIED' }])
    await Promise.all([runtime.close(), denied.close()])
  })

  test('deny matches nested arguments', async () => {
    const runtime = createRuntime({ approval: { default: 'allow', rules: { deny: ['run(rm *)'] } } })
    runtime.register(
      defineTool({ name: 'run', description: 'Run.', parameters: { type: 'object' }, execute: () => 'ran' }),
    )
    const nested = [
      { c: ['rm', '-rf', 1] },
      { c: [['rm', '-rf']] },
      { o: { cmd: 'sudo rm -rf /' } },
      { c: 'true; rm x' },
    ]
    const results = await runtime.execute(
      nested.map((params, index) => ({ id: `${index}`, name: 'run', params })),
    )
    expect(results.map((result) => ('code' in result ? result.code : null))).toEqual(
      nested.map(() => 'DENIED'),
    )
    await runtime.close()
  })

  test('an allow rule does not match a command that another one runs', async () => {
    const runtime = createRuntime({ approval: { rules: { allow: ['timeout(git *)'] } } })
    runtime.register(timeoutTool)
    const call = (id: string, command_args: string[]) => ({
      id,
      name: 'timeout',
      params: inner(command_args),
    })
    const results = await runtime.execute([
      call('1', ['git', 'status']),
      call('2', ['env', 'git', 'status']),
      call('3', ['gitx']),
    ])
    expect(results).toMatchObject([{ status: 'success' }, { code: 'DENIED' }, { code: 'DENIED' }])
    await runtime.close()
  })
})
