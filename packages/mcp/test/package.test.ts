import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as mcp from '@curfew/mcp'
import * as config from '@curfew/mcp/config'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))

test('the exports of @curfew/mcp', () => {
  expect(Object.keys(mcp).sort()).toMatchInlineSnapshot(`
    [
      "createGateway",
      "nobodyToAsk",
      "openUpstreams",
      "pinnedPart",
      "secretTokenStore",
      "serveGatewayOverHttp",
      "serveGatewayOverStdio",
      "startWithKey",
      "upstreamTools",
    ]
  `)
  expect(Object.keys(config).sort()).toMatchInlineSnapshot(`
    [
      "addServer",
      "defaultStartTimeoutMs",
      "fillReference",
      "isCurfewItself",
      "loadServers",
      "mcpFileName",
      "mcpSchema",
      "mentionsSecret",
      "parseReference",
      "readServer",
      "secretNames",
      "secretUseOf",
      "serverDefaults",
      "serverNameProblem",
      "serverUse",
      "showReference",
    ]
  `)
})

/** What each folder may import, lowest first: nothing may import what stands below it. Types may point anywhere: they are gone at run time. */
const allowed: Record<string, readonly string[]> = {
  'version.ts': [],
  names: [],
  http: [],
  config: [],
  wire: [],
  client: ['config', 'names', 'wire', 'version.ts'],
  ask: ['http'],
  gateway: ['ask', 'client', 'names', 'version.ts'],
  serve: ['http', 'wire'],
}

test('the table of folders has no cycle', () => {
  const folders = Object.keys(allowed)
  for (const [folder, imports] of Object.entries(allowed)) {
    for (const imported of imports) expect(folders.indexOf(imported)).toBeLessThan(folders.indexOf(folder))
  }
})

test('folders depend on each other in one direction only', () => {
  const wrong: string[] = []
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || dirname(file) === '.') continue
    const folder = file.split('/')[0]!
    for (const [, target] of valueImports(readFileSync(join(source, file), 'utf8'))) {
      const imported = relative(source, join(source, dirname(file), target!)).split('/')[0]!
      if (imported !== folder && !allowed[folder]?.includes(imported)) wrong.push(`${file} imports ${target}`)
    }
  }
  expect(wrong).toEqual([])
})

test('to read mcp.json no SDK is needed', () => {
  for (const file of readdirSync(join(source, 'config')))
    expect(readFileSync(join(source, 'config', file), 'utf8')).not.toContain('@modelcontextprotocol/')
})

function valueImports(text: string): RegExpExecArray[] {
  return [...text.matchAll(/^(?:import|export) (?!type )[^']*?from '(\.[^']+)'/gm)] as RegExpExecArray[]
}
