import { expect, test } from 'vitest'
import { expandVariables } from './expand-variables.ts'

const env = { NAME: 'value', EMPTY: '', TRICKY: '$NAME ${NAME} $$ $& secret:KEY' }

function expand(text: string): { text: string; problems: string[] } {
  const problems: string[] = []
  return { text: expandVariables(text, env, (message) => problems.push(message)), problems }
}

test.each([
  ['plain', 'plain'],
  ['$NAME', 'value'],
  ['a-$NAME-b', 'a-value-b'],
  ['${NAME}s', 'values'],
  ['${NAME:-other}', 'value'],
  ['${EMPTY:-other}', 'other'],
  ['${UNSET:-other}', 'other'],
  ['${UNSET:-}', ''],
  ['$EMPTY', ''],
  ['$$NAME', '$NAME'],
  ['$$$NAME', '$value'],
  ['^a+$', '^a+$'],
  ['$1 costs', '$1 costs'],
  // The value of a variable is not expanded.
  ['$TRICKY', env.TRICKY],
])('%s becomes %s', (written, expanded) => {
  expect(expand(written)).toEqual({ text: expanded, problems: [] })
})

test.each([
  ['$UNSET', 'the variable UNSET is not set; set it, or write ${UNSET:-default}'],
  ['${UNSET}', 'the variable UNSET is not set'],
  ['$__proto__', 'the variable __proto__ is not set'],
  ['$constructor', 'the variable constructor is not set'],
  ['${NAME', '${NAME; write $VAR, ${VAR} or ${VAR:-default}'],
  ['${}', '${}'],
  ['${A:-${B}}', '${A:-${B}'],
  ['${env:NAME}', '${env:NAME}; write ${NAME}'],
  ['${workspaceFolder}/x', 'the variable workspaceFolder is not set'],
])('%s is rejected', (written, message) => {
  const { problems } = expand(written)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(message)
})
