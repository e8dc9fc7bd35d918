import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Lowest first: a package imports only those above it in this list, for types too. */
const packages = ['core', 'extensions', 'review', 'journal', 'mcp', 'agent', 'ai-sdk', 'react', 'cli']

/** The folders of each package, lowest first: a folder imports only those above it, for types too. */
const folders: Readonly<Record<string, readonly string[]>> = {
  'core/src': [
    'clock',
    'errors',
    'collections',
    'json',
    'text',
    'duration',
    'process',
    'files',
    'git',
    'network',
    'deadline',
    'schema',
    'call',
    'rows',
    'tool',
    'secrets',
    'output',
    'policy',
    'options',
    'execute',
    'order',
    'conversation',
    'store',
    'schedule',
    'runtime',
    'builtin',
    'testing',
    'internal',
  ],
  'extensions/src': ['json', 'files', 'secrets', 'config', 'script', 'api', 'internal'],
  'review/src': ['language', 'schema', 'behaviour', 'rules', 'score'],
  'journal/src': ['store', 'log', 'control', 'telemetry'],
  'agent/src': [
    'history',
    'models',
    'context',
    'sessions',
    'workspace',
    'tools',
    'memory',
    'checkpoints',
    'commands',
    'skills',
    'loop',
    'agents',
    'internal',
  ],
  'mcp/src': ['async', 'names', 'http', 'config', 'wire', 'client', 'secret-page', 'gateway', 'serve'],
  'torture/src': [
    'model-server',
    'adapter',
    'tools',
    'observe',
    'host',
    'servers',
    'trial',
    'cases',
    'suite',
    'report',
  ],
  'mcp/src/client': [
    'errors',
    'http',
    'oauth',
    'transport',
    'connection',
    'state',
    'listing',
    'lifecycle',
    'tasks',
    'tools',
  ],
}

test.each(packages)('%s imports only packages above it', (name) => {
  const above = packages.slice(0, packages.indexOf(name)).map((other) => `@curfew/${other}`)
  const self = `@curfew/${name}`
  const violations = sourceFiles(`packages/${name}/src`).flatMap((file) =>
    imports(file)
      .filter((target) => target.startsWith('@curfew/') && target !== self)
      .filter((target) => !above.includes(target.split('/').slice(0, 2).join('/')))
      .map((target) => `${file} imports ${target}`),
  )
  expect(violations).toEqual([])
})

test('the torture suite imports nothing of Curfew', () => {
  const found = sourceFiles('packages/torture/src').flatMap((file) =>
    imports(file).filter((target) => !target.startsWith('.') && !target.startsWith('node:')),
  )
  expect(found).toEqual([])
})

describe.each(Object.entries(folders))('%s', (name, order) => {
  const root = `packages/${name}`

  test('every folder is in the list', () => {
    const present = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(present.map((entry) => entry.name).sort()).toEqual([...order].sort())
  })

  test('a folder imports only folders above it', () => {
    const violations = sourceFiles(root).flatMap((file) => {
      const rank = order.indexOf(folderOf(root, file))
      if (rank < 0) return []
      return imports(file)
        .filter((target) => target.startsWith('.'))
        .filter((target) => order.indexOf(folderOf(root, join(dirname(file), target))) > rank)
        .map((target) => `${file} imports ${target}`)
    })
    expect(violations).toEqual([])
  })
})

test('the core has at most two direct dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync('packages/core/package.json', 'utf8'))
  expect(Object.keys(dependencies)).toHaveLength(2)
})

test('the MCP configuration can be read without the MCP SDK', () => {
  for (const file of sourceFiles('packages/mcp/src/config'))
    expect(imports(file).filter((target) => target.startsWith('@modelcontextprotocol/'))).toEqual([])
})

function folderOf(root: string, file: string): string {
  return relative(root, file).split('/')[0]!
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file))
    .map((file) => join(folder, file))
}

/** Including type imports and dynamic imports. */
function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^(?:import|export) [^']*?from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, from, dynamic]) => from ?? dynamic!,
  )
}

test('only the folder `git` of the core starts git: a repository can name programs that git runs', () => {
  expect(filesWith(/\bownProgram\(\s*(['"`])git\1/)).toEqual([
    'packages/core/src/git/private-git.ts',
    'packages/core/src/git/run-approved-git.ts',
  ])
})

test('only `ownProgram` looks for programs of Curfew itself: a folder of `PATH` may be in the workspace', () => {
  const starts =
    /(?:\b(?:spawn|exec|fork)(?:Sync|File|FileSync)?\)?\(|\b(?:argv|file): \[?|\breturn \[)\s*(['"`])(?:bwrap|busctl|git|mkfifo|nice|open|ps|rg|rundll32|setpriv|taskkill|unshare|xdg-open)(?:\.exe)?(?:\1|\s)/
  const any = /\b(?:spawn|execFile|fork)(?:Sync)?\)?\(\s*(['"`])(?!\/)|\bargv: \[\s*(['"`])(?!\/)/
  expect([...filesWith(starts), ...filesWith(any)]).toEqual([])
})

function filesWith(pattern: RegExp): string[] {
  return packages
    .flatMap((name) => sourceFiles(`packages/${name}/src`))
    .filter((file) => pattern.test(readFileSync(file, 'utf8')))
}
