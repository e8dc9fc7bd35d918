import { describe, expect, test } from 'vitest'
import { splitShellCommands } from './split-shell-commands.ts'

describe('splitShellCommands', () => {
  test.each([
    ['npm test', [['npm', 'test']]],
    ['  git\tstatus  ', [['git', 'status']]],
    ['git commit -m "fix: a \\"b\\" c"', [['git', 'commit', '-m', 'fix: a "b" c']]],
    ["echo 'a; rm b' x\\ y", [['echo', 'a; rm b', 'x y']]],
    ['a && b || c; d | e & f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
    [
      'npm test 2>&1 | tail -20',
      [
        ['npm', 'test'],
        ['tail', '-20'],
      ],
    ],
    ['make >/dev/null 2> /dev/null', [['make']]],
    ['echo $HOME "$\x7bx}y" *.ts ~/a {b,c}', [['echo', null, null, null, null, null]]],
    ['A=1 rm x', [['A=1', 'rm', 'x']]],
    // sh runs touch, bash does not.
    ['echo &>/dev/null touch x', [['echo'], ['touch', 'x']]],
    ['echo ""', [['echo', '']]],
    ['if true; then rm x; fi', [['if', 'true'], ['then', 'rm', 'x'], ['fi']]],
    ["r''m x", [['rm', 'x']]],
    ['echo a#b', [['echo', 'a#b']]],
    [
      'test -f a && printf "%s\\n" b',
      [
        ['test', '-f', 'a'],
        ['printf', '%s\\n', 'b'],
      ],
    ],
  ])('%j', (line, commands) => {
    expect(splitShellCommands(line)).toEqual(commands)
  })

  test.each([
    '',
    ' ; ',
    'echo hi > file',
    'echo hi >> file',
    'echo hi >&file',
    'echo hi >/dev/nullx',
    'echo hi 2>&1x',
    'cat < file',
    'cat <<EOF\nrm\nEOF',
    'cat <(ls)',
    'echo $(rm x)',
    'echo "$(rm x)"',
    'echo `rm x`',
    'echo "`rm x`"',
    'echo $((a[$(rm x)]))',
    'echo $\x7bx:=$(rm y)}',
    "echo $'a'",
    'echo $"a"',
    "printf -v 'a[$(rm x)]' y",
    "test -v 'a[`rm x`]'",
    'printf -v "$x$y" z',
    "true; unset 'a[$(rm x)]'",
    '(rm x)',
    'echo() { rm x; }; echo',
    '$cmd x',
    '*/x',
    '{ rm x; }',
    'echo a \\\nb',
    '"a\\\nb"',
    "echo a # it's\nrm x\n# '",
    "echo 'a",
    'echo "a',
    'echo a\\',
    'echo a\u00a0b',
    'echo a\rb',
    'echo a\0b',
    'echo a\u200bb',
  ])('%j cannot be told', (line) => {
    expect(splitShellCommands(line)).toBeNull()
  })
})
