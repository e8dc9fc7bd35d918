import { expect, test } from 'vitest'
import { describeUse, parseUse, storeSecretCommand } from './describe-use.ts'

test.each([
  ['tool:script_deploy', 'script_deploy'],
  ['host:api.example.com', 'api.example.com'],
  ['host:intranet', 'host:intranet'],
  ['host:http://intranet:8080', 'http://intranet:8080'],
  ['host:[::1]:80', "'[::1]:80'"],
  ['tool:mcp__x@/p/.curfew', "'mcp__x of /p'"],
  ["tool:mcp__x@/it's here/.curfew", "'mcp__x of /it'\\''s here'"],
  ['tool:a.b@/p of q/.curfew', "'a.b of /p of q'"],
  ['tool:script_x@/me@work/.curfew', "'script_x of /me@work'"],
  ['tool:script_x@/dotfiles/shop', 'tool:script_x@/dotfiles/shop'],
  ['profile:work', 'profile:work'],
])('%s is stored with --for %s', (use, word) => {
  expect(storeSecretCommand('KEY', use)).toBe(`curfew secret set KEY --for ${word}`)
  expect(parseUse(word.replaceAll("'\\''", '’').replaceAll("'", '').replaceAll('’', "'"))).toBe(use)
})

test.each([
  ['host:api.example.com', 'api.example.com'],
  ['tool:script_deploy', 'your tool script_deploy'],
  ['tool:script_deploy@/home/me/shop/.curfew', 'the tool script_deploy of /home/me/shop'],
  ['tool:mcp__github', 'your MCP server github'],
  ['tool:mcp__github@/home/me/shop/.curfew', 'the MCP server github of /home/me/shop'],
  ['tool:script_x@/dotfiles/shop', 'the tool script_x of /dotfiles/shop'],
  ['profile:work', 'the profile work'],
  ['sign-in:https://mcp.example/mcp', 'the sign-in to https://mcp.example/mcp'],
])('%s is %s', (use, description) => {
  expect(describeUse(use)).toBe(description)
})

test('escapes invisible characters in folder names', () => {
  expect(describeUse('tool:x@/tmp/a\n\u202e/.curfew')).toBe('the tool x of /tmp/a\\u000a\\u202e')
  expect(describeUse('tool:x@/tmp/a\u00a0\u3164/.curfew')).toBe('the tool x of /tmp/a\\u00a0\\u3164')
})
