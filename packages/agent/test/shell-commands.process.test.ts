import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { splitShellCommands } from '../src/tools/commands/split-shell-commands.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-shell-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shells = ['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell))
const tokens = /* everything that means something to a shell */ [
  ...['echo', 'echo ', ' touch x ', 'touch x', 'touch', ' x', 'if', 'then', 'fi', 'do', 'for', '!', 'time '],
  ...[' ', '\t', '\n', '\r', '\\', "'", '"', '`', '$', '$(', '(', ')', '{', '}', '[', ']', '<', '>', '>>'],
  ...[
    '<<',
    'EOF',
    ';',
    ';;',
    '&',
    '&&',
    '|',
    '||',
    '|&',
    '>&',
    '2>&1',
    '>/dev/null',
    '&>/dev/null',
    '#',
    ' #',
  ],
  ...[
    '*',
    '?',
    '~',
    '=',
    'a=',
    '$a',
    '${a',
    '$((',
    '))',
    '\\\n',
    "$'",
    '$"',
    '\u00a0',
    '%',
    '-',
    '^',
    ',',
    '0',
  ],
]

test('what a rule for echo would allow only runs echo', () => {
  const line = fc
    .array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 12 })
    .map((parts) => `echo ${parts.join('')}`)
  let ran = 0
  fc.assert(
    fc.property(line, (command) => {
      const commands = splitShellCommands(command)
      if (commands === null || commands.some(([program]) => program !== 'echo')) return
      // A shell that reads the line differently would run touch, or write to a file.
      if (!/touch|>/.test(command)) return
      ran++
      for (const shell of shells) {
        spawnSync(shell, ['-c', command], { cwd: folder, stdio: 'ignore', timeout: 10_000 })
        const made = readdirSync(folder)
        for (const name of made) rmSync(join(folder, name))
        expect(made, `${shell}: ${JSON.stringify(command)}`).toEqual([])
      }
    }),
    { numRuns: scaled(3_000) },
  )
  expect(ran).toBeGreaterThan(50)
}, 600_000)
