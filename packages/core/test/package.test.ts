import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as core from '@curfew/core'
import * as testing from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))

test('the exports of @curfew/core', () => {
  expect(Object.keys(core).sort()).toMatchInlineSnapshot(`
    [
      "CredentialRequiredError",
      "CurfewError",
      "ToolTimeoutError",
      "adapterTimeouts",
      "callEdges",
      "createRuntime",
      "defineTool",
      "describeSource",
      "executeToolCall",
      "formatDuration",
      "niceTool",
      "parseDuration",
      "resolveTimeout",
      "sleepTool",
      "storeSecretTool",
      "timeoutTool",
      "toolAnnotations",
      "toolView",
    ]
  `)
  expect(Object.keys(testing).sort()).toMatchInlineSnapshot(`
    [
      "createFakeClock",
      "recordTransitions",
      "scriptedTool",
    ]
  `)
})

test('it has at most three direct dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(3)
})

/** What each folder may import, lowest first: nothing may import what stands below it. Types may point anywhere: they are gone at run time. */
const allowed: Record<string, readonly string[]> = {
  clock: [],
  process: ['clock'],
  collections: [],
  json: [],
  text: [],
  errors: [],
  duration: ['errors'],
  files: ['process'],
  deadline: ['duration', 'errors'],
  schema: ['errors', 'text'],
  tool: ['deadline', 'duration', 'errors', 'schema', 'text'],
  secrets: ['errors', 'files', 'json', 'text'],
  output: ['errors', 'json', 'process'],
  policy: ['errors', 'json', 'text'],
  call: ['errors', 'json', 'output', 'text'],
  store: ['call', 'collections', 'errors', 'output'],
  execute: ['clock', 'deadline', 'duration', 'errors', 'json', 'output', 'schema', 'secrets'],
  schedule: [
    'call',
    'collections',
    'deadline',
    'duration',
    'errors',
    'execute',
    'output',
    'policy',
    'schema',
    'secrets',
    'tool',
  ],
  runtime: [
    'clock',
    'deadline',
    'duration',
    'errors',
    'output',
    'policy',
    'schedule',
    'secrets',
    'store',
    'tool',
  ],
  builtin: ['deadline', 'errors', 'process', 'secrets', 'tool'],
  config: ['deadline', 'duration', 'errors', 'files', 'json', 'schema', 'text'],
  script: ['config', 'errors', 'json', 'output', 'process', 'secrets', 'tool'],
  api: ['config', 'errors', 'json', 'output', 'secrets', 'tool'],
  extension: ['api', 'config', 'script', 'secrets'],
  adapter: [
    'call',
    'clock',
    'config',
    'duration',
    'errors',
    'files',
    'json',
    'output',
    'policy',
    'schema',
    'secrets',
    'text',
    'tool',
  ],
  review: ['duration', 'errors', 'json', 'schema', 'text', 'tool'],
  testing: ['call', 'tool'],
}

/** The same inside of `review`. */
const allowedInReview: Readonly<Record<string, readonly string[]>> = {
  language: [],
  schema: ['language'],
  behaviour: ['language', 'schema'],
  rules: ['behaviour', 'language', 'schema'],
  score: ['behaviour', 'language', 'schema'],
}

describe.each([
  ['core', source, allowed],
  ['review', join(source, 'review'), allowedInReview],
])('the folders of %s', (_, root, table) => {
  test('have an order without a cycle', () => {
    const folders = Object.keys(table)
    for (const [folder, imports] of Object.entries(table)) {
      for (const imported of imports) expect(folders.indexOf(imported)).toBeLessThan(folders.indexOf(folder))
    }
  })

  test('depend on each other in this direction only', () => {
    const wrong: string[] = []
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || /\.test(-d)?\.ts$/.test(file) || dirname(file) === '.') continue
      const folder = file.split('/')[0]!
      for (const [, target] of valueImports(readFileSync(join(root, file), 'utf8'))) {
        const imported = relative(root, join(root, dirname(file), target!)).split('/')[0]!
        if (imported === '..' || imported === folder || table[folder]?.includes(imported)) continue
        wrong.push(`${file} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

function valueImports(text: string): RegExpExecArray[] {
  return [...text.matchAll(/^(?:import|export) (?!type )[^']*?from '(\.[^']+)'/gm)] as RegExpExecArray[]
}
