import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Lists the packages whose modules are loaded by an import. */
const script = `
  const { registerHooks } = await import('node:module')
  const loaded = new Map()
  registerHooks({
    load(url, context, next) {
      const [name = url] = /(?<=node_modules\\/)(?:@[^/]+\\/)?[^/]+|(?<=packages\\/)[^/]+/.exec(url) ?? []
      if (!url.startsWith('node:')) loaded.set(name, (loaded.get(name) ?? 0) + 1)
      return next(url, context)
    },
  })
  await import('@curfew/mcp')
  console.log(JSON.stringify(Object.fromEntries(loaded)))
`

test('importing the package loads neither the MCP SDK nor the whole core', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  })
  const loaded = JSON.parse(output) as Record<string, number>
  expect(Object.keys(loaded).sort()).toEqual(['core', 'mcp'])
  expect(loaded.core).toBeLessThan(140)
  expect(loaded.mcp).toBeLessThan(30)
})
