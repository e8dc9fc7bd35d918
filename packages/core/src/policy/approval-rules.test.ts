import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defineTool, defineToolFrom } from '../tool/define-tool.ts'
import { ApprovalRules, exactRule, type RuleSources } from './approval-rules.ts'

const tool = (name: string) =>
  defineTool({
    name,
    description: 'Write a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    execute: () => 'written',
  })
const write = tool('write')

/** Its commands are separated by `;`; `>` is not understood, and `$` is a word that only the shell knows. */
const shell = defineToolFrom(
  {
    name: 'shell',
    description: 'Run a command line.',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string' }, cwd: { type: 'string' } },
      required: ['command'],
    } as const,
    execute: () => 'ran',
  },
  {
    adapter: 'function',
    shellCommands: ({ command }) =>
      command.includes('>')
        ? null
        : command.split(';').map((one) =>
            one
              .trim()
              .split(' ')
              .map((word) => (word === '$' ? null : word)),
          ),
  },
)

describe('ApprovalRules of a shell', () => {
  const verdict = (allow: readonly string[], command: string, more: object = {}): string | null =>
    new ApprovalRules({ allow }).decide(shell, { command, ...more })?.verdict ?? null

  test.each([
    ['shell(echo *)', 'echo a b', 'allow'],
    ['shell(echo *)', 'echo $', 'allow'],
    ['shell(echo *)', 'echo a; echo b', 'allow'],
    ['shell(echo *)', 'echo a; rm b', null],
    ['shell(echo *)', 'rm b; echo a', null],
    ['shell(echo *)', 'echo a > b', null],
    ['shell(echo a > b)', 'echo a > b', 'allow'],
    ['shell(echo *)', 'echo ../x', null],
    ['shell(echo *)', 'echo --out=../x', null],
    ['shell(* a)', '$ a', null],
    ['shell(echo ?)', 'echo $', null],
    ['shell(cat src/*)', 'cat src/a b', null],
    ['shell({"command":"echo *"})', 'echo a; rm b', null],
    ['shell({"command":"echo a; rm b"})', 'echo a; rm b', 'allow'],
    ['shell(*)', 'rm a > b', 'allow'],
    ['shell', 'rm a > b', 'allow'],
  ])('%s and "%s": %s', (rule, command, expected) => {
    expect(verdict([rule], command)).toBe(expected)
  })

  test('several rules allow several commands, but not with arguments that are not declared', () => {
    const allow = ['shell(echo *)', 'shell(ls)']
    expect(verdict(allow, 'ls; echo a')).toBe('allow')
    expect(verdict(allow, 'ls; echo a', { sudo: true })).toBeNull()
    expect(verdict(allow, 'ls; echo a; ls -l')).toBeNull()
  })

  test('a remembered answer that is no longer valid does not complete another', () => {
    const lists = { remembered: ['shell(echo *)', 'shell(rm *)'] }
    const decide = (valid: string) =>
      new ApprovalRules(lists, (rule) => rule !== valid).decide(shell, { command: 'echo a; rm b' })
    expect(decide('')).toMatchObject({ verdict: 'allow' })
    expect(decide('shell(rm *)')).toBeNull()
  })
})

describe('exactRule', () => {
  const allows = (rule: string, of: typeof write, params: object): boolean =>
    new ApprovalRules({ remembered: [rule] }).decide(of, params) !== null
  const open = defineTool({ name: 'open', description: 'Take anything.', execute: () => 'ran' })
  const calls = [
    {},
    { path: 'a' },
    { path: '*' },
    { path: '{"path":"a"}' },
    { path: '{}' },
    { path: '\\{}' },
    { other: 'a' },
  ]

  const loose = defineTool({
    name: 'loose',
    description: 'Take any path.',
    parameters: { type: 'object', properties: { path: {} } },
    execute: () => 'ran',
  })

  test.each([
    ['a tool with a parameter', write, calls],
    ['a tool whose parameter has no type', loose, [...calls, { path: ['a'] }]],
    ['a tool without parameters', open, calls],
  ])('of %s allows this call and no other', (_, of, all) => {
    for (const params of all) {
      const rule = exactRule(of, params)
      expect(all.filter((other) => allows(rule, of, other))).toEqual([params])
    }
  })

  test('of a shell does not allow the command that its JSON would be', () => {
    const params = { command: "echo '$(rm x)'" }
    const rule = exactRule(shell, params)
    const decide = (command: string) => new ApprovalRules({ allow: [rule] }).decide(shell, { command })
    expect(decide(params.command)).not.toBeNull()
    expect(decide(JSON.stringify(params))).toBeNull()
  })
})

describe('ApprovalRules', () => {
  test('lists rules in the order of precedence, with their source', () => {
    const rules = new ApprovalRules({ allow: ['a'], ask: ['b'], deny: ['c'], remembered: ['d(x)'] })
    rules.add('deny', 'e')
    rules.remember('f')
    expect(rules.list()).toEqual([
      { verdict: 'deny', rule: 'c', source: 'options' },
      { verdict: 'deny', rule: 'e', source: 'added' },
      { verdict: 'allow', rule: 'd(x)', source: 'remembered' },
      { verdict: 'allow', rule: 'f', source: 'remembered' },
      { verdict: 'ask', rule: 'b', source: 'options' },
      { verdict: 'allow', rule: 'a', source: 'options' },
    ])
  })

  test('precedence: deny > remembered answers > ask > allow', () => {
    const rules = new ApprovalRules({ allow: ['write'] })
    const decide = () => rules.decide(write, { path: 'a' })
    expect(decide()).toMatchObject({ verdict: 'allow', rule: 'write', source: 'options', askRule: null })
    rules.add('ask', 'write(a)')
    expect(decide()).toMatchObject({ verdict: 'ask', rule: 'write(a)', source: 'added', askRule: null })
    rules.remember('write(*)')
    expect(decide()).toMatchObject({
      verdict: 'allow',
      rule: 'write(*)',
      source: 'remembered',
      askRule: 'write(a)',
    })
    rules.add('deny', '*')
    expect(decide()).toMatchObject({ verdict: 'deny', rule: '*' })
  })

  test('an allow rule is preferred to a remembered answer that is not needed', () => {
    const rules = new ApprovalRules({ allow: ['write'], remembered: ['write(a)'] })
    expect(rules.decide(write, { path: 'a' })).toMatchObject({ rule: 'write', source: 'options' })
  })

  test('every change applies to tools that were decided before', () => {
    const rules = new ApprovalRules()
    const verdict = () => rules.decide(write, { path: 'a' })?.verdict ?? null
    expect(verdict()).toBeNull()
    rules.add('ask', 'write')
    expect(verdict()).toBe('ask')
    rules.remember('write(a)')
    expect(verdict()).toBe('allow')
    expect(rules.forget('write(a)')).toBe(true)
    expect(verdict()).toBe('ask')
    expect(rules.remove('ask', 'write')).toBe(true)
    expect(verdict()).toBeNull()
    expect(rules.decide(tool('other'), {})).toBeNull()
  })

  test('a rule is added once, and removed only with its verdict and source', () => {
    const rules = new ApprovalRules({ ask: ['a'] })
    for (let count = 0; count < 3; count++) {
      rules.add('ask', 'a')
      rules.add('allow', 'a')
      rules.remember('a')
    }
    expect(rules.list()).toHaveLength(3)
    expect(rules.remove('deny', 'a')).toBe(false)
    expect(rules.remove('allow', 'a')).toBe(true)
    expect(rules.remove('allow', 'a')).toBe(false)
    expect(rules.remove('ask', 'a')).toBe(true)
    expect(rules.list()).toEqual([{ verdict: 'allow', rule: 'a', source: 'remembered' }])
    expect(rules.forget('b')).toBe(false)
    expect(rules.forget('a')).toBe(true)
    expect(rules.list()).toEqual([])
  })

  test('after any changes, the verdict is that of the highest matching list', () => {
    const kind = fc.constantFrom('deny', 'ask', 'allow', 'remembered')
    const text = fc.constantFrom('write', 'write(a)', 'write(b)', 'other', '*')
    const change = fc.record({ kind, text, adds: fc.boolean() })
    const matches = ['write', 'write(a)', '*']
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const rules = new ApprovalRules()
        const list = (): Set<string> => new Set()
        const expected = { deny: list(), remembered: list(), ask: list(), allow: list() }
        for (const { kind, text, adds } of changes) {
          const had = expected[kind].has(text)
          if (adds) expected[kind].add(text)
          else expected[kind].delete(text)
          if (kind === 'remembered') {
            if (adds) rules.remember(text)
            else expect(rules.forget(text)).toBe(had)
          } else if (adds) rules.add(kind, text)
          else expect(rules.remove(kind, text)).toBe(had)
          const highest = Object.entries(expected).find(([, list]) =>
            matches.some((rule) => list.has(rule)),
          )?.[0]
          const verdict = highest === 'remembered' ? 'allow' : (highest ?? null)
          expect(rules.decide(write, { path: 'a' })?.verdict ?? null).toBe(verdict)
        }
        const size = Object.values(expected).reduce((sum, list) => sum + list.size, 0)
        expect(rules.list()).toHaveLength(size)
      }),
    )
  })

  test.each([
    ['', 'rule: expected a rule such as "tool" or "tool(glob)", got ""'],
    ['a b', 'rule: expected a rule such as "tool" or "tool(glob)", got "a b"'],
    ['a(b', 'rule: expected a rule such as "tool" or "tool(glob)", got "a(b"'],
    ['(b)', 'rule: expected a rule such as "tool" or "tool(glob)", got "(b)"'],
    [7, 'rule: expected a rule such as "tool" or "tool(glob)", got 7'],
    [null, 'rule: expected a rule such as "tool" or "tool(glob)", got null'],
  ])('rejects %j', (rule, message) => {
    const rules = new ApprovalRules()
    expect(() => rules.add('allow', rule as string)).toThrow(message)
    expect(() => rules.remember(rule as string)).toThrow(message)
    const remembered = ['ok', rule as string]
    expect(() => new ApprovalRules({ remembered })).toThrow(/^approval\.rules\.remembered\[1\]: expected/)
    expect(rules.list()).toEqual([])
  })

  test.each(['yes', undefined, '__proto__'])('rejects the verdict %j', (verdict) => {
    const rules = new ApprovalRules()
    expect(() => rules.add(verdict as never, 'a')).toThrow(/^verdict: expected one of allow, ask, deny, got/)
    expect(() => rules.remove(verdict as never, 'a')).toThrow(/^verdict: expected/)
  })

  test('askIfAllowed asks only about what is allowed otherwise', () => {
    const decide = (lists: RuleSources, of = write) =>
      new ApprovalRules({ askIfAllowed: ['write'], ...lists }).decide(of, { path: 'a' })
    expect(decide({})).toBeNull()
    expect(decide({ remembered: ['write'] })).toMatchObject({ source: 'remembered', askRule: null })
    expect(decide({ allow: ['write(a)'] })).toMatchObject({ verdict: 'ask', rule: 'write' })
    expect(decide({ allow: ['write'], remembered: ['write'] })).toMatchObject({
      source: 'remembered',
      askRule: 'write',
    })
    expect(decide({ ask: ['write(a)'] })).toMatchObject({ verdict: 'ask', rule: 'write(a)' })
    expect(decide({ deny: ['write(a)'], allow: ['write'] })).toMatchObject({ verdict: 'deny' })
    expect(decide({}, { ...write, readOnly: true })).toMatchObject({ verdict: 'ask' })
  })

  test('a rule of askIfAllowed is neither the same as one of ask nor removed with it', () => {
    const rules = new ApprovalRules({ askIfAllowed: ['write'] })
    expect(rules.remove('ask', 'write')).toBe(false)
    rules.add('ask', 'write')
    expect(rules.decide(write, { path: 'a' })).toMatchObject({ verdict: 'ask', source: 'added' })
    expect(rules.remove('ask', 'write')).toBe(true)
    expect(rules.decide(write, { path: 'a' })).toBeNull()
  })

  test.each([
    [0, -0],
    [-0, 0],
    [[0], [-0]],
  ])('the exact rule of %j does not allow %j', (value, other) => {
    const rule = exactRule(write, { path: value })
    const rules = new ApprovalRules({ allow: [rule] })
    expect(rules.decide(write, { path: value })).toMatchObject({ verdict: 'allow' })
    expect(rules.decide(write, { path: other })).toBeNull()
  })

  test('an answer that is no longer remembered neither applies nor is listed, but a wider one does', () => {
    let valid = ['write(a)', 'write(*)']
    const rules = new ApprovalRules({ ask: ['write'], remembered: valid }, (rule) => valid.includes(rule))
    const decide = () => rules.decide(write, { path: 'a' })
    expect(decide()).toMatchObject({ rule: 'write(a)' })
    valid = ['write(*)']
    expect(decide()).toMatchObject({ rule: 'write(*)', source: 'remembered' })
    valid = []
    expect(decide()).toMatchObject({ verdict: 'ask' })
    expect(rules.list()).toEqual([{ verdict: 'ask', rule: 'write', source: 'options' }])
  })
})
