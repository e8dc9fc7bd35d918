import type { CallResult } from '@curfew/core'
import { niceTool, type RuntimeOptions, timeoutTool } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { setUpCommands } from './support/command-setup.ts'

function verdict(rules: NonNullable<RuntimeOptions['approval']>, command: string, more: object = {}): string {
  const { runtime } = setUpCommands({}, { approval: rules })
  return runtime.decide({ id: '1', name: 'run_command', params: { command, ...more } }).verdict
}

describe('allow rules for command lines', () => {
  const allow = ['run_command(echo *)', 'run_command(cat src/*)', 'run_command(npm test)']

  test.each([
    'echo hi',
    'echo',
    "echo 'a; rm b'",
    'echo $HOME *.ts',
    'echo a && echo b',
    'echo a | cat src/a',
    'npm test 2>&1 | cat src/a >/dev/null',
    'npm  test',
  ])('%j is allowed', (command) => {
    expect(verdict({ rules: { allow } }, command)).toBe('allow')
  })

  test.each([
    'echo hi > file',
    'echo hi>file',
    'echo a; rm -rf b',
    'echo a && rm b',
    'echo a || rm b',
    'echo a | sh',
    'echo a & rm b',
    'echo a\nrm b',
    'echo $(rm x)',
    'echo `rm x`',
    'echo "$(rm x)"',
    'echo <(rm x)',
    'echo() { rm x; }; echo',
    "echo # '\nrm x\n# '",
    'echo \\\n; rm x',
    'A=1 echo x',
    'if echo; then rm x; fi',
    'echo ../x',
    'echo --file=../x',
    'cat src/a /etc/passwd',
    'cat src/../../x',
    'cat src/{a,../../x}',
    'cat src/* x',
    'npm test x',
    '/tmp/echo x',
    'echoo',
  ])('%j needs approval', (command) => {
    expect(verdict({ rules: { allow } }, command)).toBe('ask')
  })

  test('a rule without wildcards allows exactly its command line', () => {
    const exact = { rules: { allow: ['run_command(make > log; tail log)'] } }
    expect(verdict(exact, 'make > log; tail log')).toBe('allow')
    expect(verdict(exact, 'make > log; tail  log; rm x')).toBe('ask')
    expect(verdict({ rules: { allow: ['run_command({"command":"echo *"*)'] } }, 'echo a; rm b')).toBe('ask')
    expect(verdict({ rules: { allow: ['run_command(*)'] } }, 'echo a; rm b')).toBe('allow')
  })

  test('an answer "always" applies to exactly this call, also in another session', async () => {
    const remembered: string[] = []
    const first = setUpCommands(
      {},
      { approval: { remember: (rule) => void remembered.push(rule) }, ask: () => 'always' },
    )
    await first.run('echo a; echo b')
    expect(remembered).toHaveLength(1)
    const rules = { rules: { remembered } }
    expect(verdict(rules, 'echo a; echo b')).toBe('allow')
    expect(verdict(rules, 'echo a; echo c')).toBe('ask')
    expect(verdict(rules, 'echo a; echo b', { background: true })).toBe('ask')
  })

  test('remembered answers and rules do not allow parts of one command line together', () => {
    const rules = { rules: { allow: ['run_command(ls *)'], remembered: ['run_command(rm *)'] } }
    expect(verdict(rules, 'ls a; rm b')).toBe('ask')
    expect(verdict(rules, 'rm a; rm b')).toBe('allow')
  })
})

describe('deny rules', () => {
  test.each(['run_command(rm *)', 'timeout(rm *)', 'nice(rm *)', '*(rm *)'])(
    '%s applies to all tools that run commands',
    async (deny) => {
      const { runtime, conversation } = setUpCommands(
        {},
        { approval: { default: 'allow', rules: { deny: [deny] } } },
      )
      runtime.register(timeoutTool, niceTool)
      const results: CallResult[] = await conversation.execute([
        { id: '1', name: 'run_command', params: { command: 'cd x; /bin/rm -rf y' } },
        { id: '2', name: 'timeout', params: { command_args: ['rm', 'y'], seconds: 1 } },
        { id: '3', name: 'nice', params: { command_args: ['sh', '-c', 'rm y'] } },
        { id: '4', name: 'run_command', params: { command: 'echo farm' } },
      ])
      expect(results.map((result) => ('code' in result ? result.code : 'success'))).toEqual([
        'DENIED',
        'DENIED',
        'DENIED',
        'success',
      ])
    },
  )
})
