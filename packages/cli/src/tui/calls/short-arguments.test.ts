import { expect, it } from 'vitest'
import { shortArguments } from './short-arguments.ts'

it.each([
  ['a command without its name', 'command="npm test"', 'npm test', ''],
  ['quotes without escapes', 'command="echo \\"a b\\" \\\\"', 'echo "a b" \\', ''],
  ['a command of several lines in one', 'command="set -e\\n  make"', 'set -e ↵ make', ''],
  ['the pattern before the path', 'path="src", pattern="a, b=\\"c\\""', 'a, b="c"', 'path="src"'],
  ['short arguments, no documents', 'path="a.ts", content="x", edits=[2], depth=3', 'a.ts', 'depth=3'],
  ['only short ones', `task="go", agent="a", other="${'x'.repeat(40)}"`, 'go', 'agent="a"'],
  ['a single argument that is not a string', 'limit=5', 'limit=5', ''],
  ['an only argument with any name', 'city="Paris"', 'Paris', ''],
  ['arguments without a main one', 'a=1, b={…}, c=[3]', 'a=1, b={…}, c=[3]', ''],
  ['a string that was cut', 'command="npm te…"', 'npm te…', ''],
  ['a list that was cut', 'path="a", b="x", c="yyy…', 'a', 'b="x"'],
  ['nothing', '', '', ''],
  ['arguments that are a string', '"hello"', '"hello"', ''],
  [
    'what would be invisible escaped',
    'command="a\\u202eb\\u001b[2J\\u0007"',
    'a\\u202eb\\u001b[2J\\u0007',
    '',
  ],
  ['a lone surrogate escaped', 'command="a\\ud800b"', 'a\\ud800b', ''],
])('shows %s', (_, args, main, rest) => {
  expect(shortArguments(args)).toEqual({ main, rest })
})
