import { expect, test } from 'vitest'
import { howToStore, parseUse } from './describe-use.ts'

test.each([
  ['tool:script_deploy', 'script_deploy'],
  ['host:api.example.com', 'api.example.com'],
  ['host:intranet', 'host:intranet'],
  ['host:http://intranet:8080', 'http://intranet:8080'],
  ['tool:mcp__x@/p/.curfew', 'tool:mcp__x@/p/.curfew'],
  ['host:[::1]:80', "'[::1]:80'"],
  ["tool:mcp__x@/it's here/.curfew", "'tool:mcp__x@/it'\\''s here/.curfew'"],
])('%s is stored with --for %s', (use, word) => {
  expect(howToStore('KEY', use)).toBe(`curfew secret set KEY --for ${word}`)
  expect(parseUse(word.replaceAll("'\\''", '’').replaceAll("'", '').replaceAll('’', "'"))).toBe(use)
})
