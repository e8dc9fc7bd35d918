import { expect, test } from 'vitest'
import { isCurfewCommand } from './is-curfew-command.ts'

test.each([
  ['curfew mcp', true],
  ['/usr/local/bin/curfew mcp --http', true],
  ['npx curfew mcp', true],
  ['npx -y curfew@latest mcp --view stub', true],
  ['node packages/cli/bin/curfew.cjs mcp', true],
  ['cmd /c npx -y curfew mcp', true],
  ['curfew timeout 5 some-server', false],
  ['curfew-tools mcp', false],
  ['my-server /home/me/curfew mcp', false],
  ['npx -y some-server curfew mcp', false],
  ['server', false],
])('%s: %s', (line, expected) => {
  const [command = '', ...args] = line.split(' ')
  expect(isCurfewCommand(command, args)).toBe(expected)
})
