import { expect, test } from 'vitest'
import { expandVariables } from './expand-variables.ts'

const env = { NAME: 'value', EMPTY: '', TRICKY: '$NAME ${NAME} $$ $& secret:KEY' }

function fill(text: string): { text: string; wrong: string[] } {
  const wrong: string[] = []
  return { text: expandVariables(text, env, (message) => wrong.push(message)), wrong }
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
  // What a variable holds is not looked at again.
  ['$TRICKY', env.TRICKY],
])('%s becomes %s', (written, filled) => {
  expect(fill(written)).toEqual({ text: filled, wrong: [] })
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
  const { wrong } = fill(written)
  expect(wrong).toHaveLength(1)
  expect(wrong[0]).toContain(message)
})
