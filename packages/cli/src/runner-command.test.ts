import { afterEach, expect, test } from 'vitest'
import { advise, runnerCommand } from './runner-command.ts'

const [, script] = process.argv
afterEach(() => {
  process.argv[1] = script!
})

test.each([
  ['/home/me/.npm/_npx/5b2dd62b9d0bddd4/node_modules/curfew/bin/curfew.cjs', 'npx -y curfew'],
  ['/home/me/.cache/pnpm/dlx/abc/node_modules/curfew/bin/curfew.cjs', 'pnpm dlx curfew'],
  ['/tmp/bunx-1000-curfew@latest/node_modules/curfew/bin/curfew.cjs', 'bunx curfew'],
  ['/home/me/shop/node_modules/curfew/bin/curfew.cjs', undefined],
  ['/usr/lib/node_modules/curfew/bin/curfew.cjs', undefined],
])('%s is started by %s', (path, command) => {
  expect(runnerCommand(path)?.join(' ')).toBe(command)
})

test('advised commands start with npx if npx started curfew', () => {
  process.argv[1] = '/home/me/.npm/_npx/5b2d/node_modules/curfew/bin/curfew.cjs'
  expect(advise('curfew trust && curfew mcp test a')).toBe('npx -y curfew trust && npx -y curfew mcp test a')
  process.argv[1] = '/usr/bin/curfew'
  expect(advise('curfew mcp test a')).toBe('curfew mcp test a')
})
