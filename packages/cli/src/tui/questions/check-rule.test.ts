import { expect, test } from 'vitest'
import { checkRule } from './check-rule.ts'

const command = { tool: 'run', params: { command: 'npm test' }, exactRule: 'run(npm test)' }
const file = {
  tool: 'write',
  params: { path: 'a', content: 'x' },
  exactRule: 'write({"content":"x","path":"a"})',
}

test.each([
  ['run(npm test)', command, 'exactly this command'],
  ['run(npm *)', command, 'every command of run that matches npm *, where * stands for anything'],
  ['run(npm \\*)', command, 'only commands of run with exactly these arguments: npm \\*'],
  ['run', command, 'every call of run, with any arguments'],
  ['run(*)', command, 'every call of run, with any arguments'],
  ['r*', command, 'every call of every tool whose name matches r*, with any arguments'],
  [file.exactRule, file, 'exactly this call, with these arguments'],
  ['write(src/*)', file, 'every call of write that matches src/*, where * stands for anything'],
  ['stop', { tool: 'stop', params: {}, exactRule: 'stop' }, 'every call of stop, with any arguments'],
  [
    'run(a\u202e\nb*)',
    command,
    'every command of run that matches a\\u202e\\nb*, where * stands for anything',
  ],
])('%j allows %3$s', (rule, question, meaning) => {
  expect(checkRule(rule, question, () => true)).toEqual({ meaning, problem: '' })
})

test('problems: not a rule, another call, too long', () => {
  const matches = (rule: string): boolean => {
    if (rule === 'throws') throw new Error('invalid')
    return false
  }
  expect(checkRule('run npm', command, matches).problem).toContain('This is not a rule')
  expect(checkRule('throws', command, matches).problem).toContain('This is not a rule')
  expect(checkRule('rm', command, matches).problem).toContain('does not match the call')
  const long = `run(${'x'.repeat(3_000)})`
  expect(checkRule(long, command, () => true).problem).toContain('at most 2000 characters; this one has 3005')
  expect(checkRule(long, { ...command, exactRule: long }, () => true).problem).toBe('')
})
