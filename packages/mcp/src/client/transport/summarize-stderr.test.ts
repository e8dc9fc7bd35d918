import { describe, expect, test } from 'vitest'
import { summarizeStderr } from './summarize-stderr.ts'

const frames = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `    at step${index} (node:internal/loader:${index}:15)\n`,
  ).join('')

describe('the summary contains the line that names the cause', () => {
  test('a module that Node cannot find', () => {
    const stderr = `node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module './x'\nRequire stack:\n- /srv/a.cjs\n${frames(30)}{\n  code: 'MODULE_NOT_FOUND',\n}\n\nNode.js v24.1.0\n`
    expect(summarizeStderr(stderr)).toBe(
      "Error: Cannot find module './x'\nRequire stack:\n- /srv/a.cjs\n{\n  code: 'MODULE_NOT_FOUND',",
    )
  })

  test('a module that Python cannot find, below other exceptions', () => {
    const stderr = `Traceback (most recent call last):
  File "/srv/c.py", line 4, in b
    try: a()
         ^^^
  File "/srv/c.py", line 2, in a
    import json.nope
ModuleNotFoundError: No module named 'json.nope'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/c.py", line 6, in <module>
    b()
RuntimeError: could not start
`
    expect(summarizeStderr(stderr)).toBe(
      "ModuleNotFoundError: No module named 'json.nope'\n" +
        'The above exception was the direct cause of the following exception:\nRuntimeError: could not start',
    )
  })

  test.each([
    ['sh: 1: nope-cmd: not found'],
    ['bash: nope-cmd: command not found'],
    ["ImportError: cannot import name 'x' from 'y'"],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nope' imported from /srv/b.mjs"],
    ['npm error 404 Not Found - GET https://registry.example/nope'],
    ['Error: listen EADDRINUSE: address already in use :::3000'],
    ['TypeError: config is not a function'],
    ["thread 'main' panicked at src/main.rs:2:5:"],
  ])('even if much was printed after it: %s', (cause) => {
    const chatter = 'shutting down one of the many parts that were started before\n'.repeat(40)
    const shown = summarizeStderr(`starting up\n${chatter}${cause}\n${chatter}bye\n`)
    expect(shown.startsWith('starting up\n')).toBe(true)
    expect(shown).toContain(`\n${cause}\n`)
    expect(shown.endsWith('\nbye')).toBe(true)
    expect(shown.length).toBeLessThan(820)
  })

  test('without a root cause, the last error', () => {
    const chatter = 'and so on and so forth, for quite a while\n'.repeat(40)
    expect(summarizeStderr(`${chatter}error: first\nerror: second\n${chatter}`)).toMatch(
      /\n\.\.\.\nerror: second\n\.\.\./,
    )
  })

  test('without an error, the first and last lines', () => {
    expect(summarizeStderr(`${'x'.repeat(2_000)} the end`)).toBe(
      `${'x'.repeat(200)}\n...${'x'.repeat(592)} the end`,
    )
    const settings = 'DATABASE_URL is not set\nusing no database\n'
    expect(summarizeStderr(`${settings}${'y'.repeat(2_000)}`)).toBe(`${settings}...${'y'.repeat(600)}`)
    const [first, last] = [`${'a'.repeat(99)}\n`, `${'b'.repeat(99)}\n`]
    expect(summarizeStderr(first.repeat(9) + last.repeat(9))).toBe(
      `${first.repeat(2)}...\n${last.repeat(6).trimEnd()}`,
    )
    expect(summarizeStderr('  key missing \n')).toBe('key missing')
    expect(summarizeStderr('http://localhost:3000\n')).toBe('http://localhost:3000')
    expect(summarizeStderr('\u001b[31mred\u001b[0m')).toBe('red')
  })
})
