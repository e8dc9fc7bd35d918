import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { loggedLines, recordedCalls } from '../../../test/support/read-recording.ts'
import { plainEnvironment } from './plain-environment.ts'
import { runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

const cli = fileURLToPath(new URL('..', import.meta.url))
const bundle = join(cli, 'bundle')

let home: string
let project: string
temporaryFolders((folders) => {
  ;({ home, project } = folders)
})

beforeEach(() => {
  writeScript('greet', { name: { type: 'string' } })
  writeScript('nested', { list: { type: 'array', items: { type: 'number' } } })
})

function writeScript(name: string, properties: object): void {
  const folder = join(home, '.config', 'curfew', 'extensions', 'scripts', name)
  mkdirSync(folder, { recursive: true })
  const definition = { description: 'Return the parameters.', parameters: { type: 'object', properties } }
  writeFileSync(join(folder, 'tool.json'), JSON.stringify(definition))
  writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\ncat\n', { mode: 0o755 })
}

describe('the bundle loads only what a command needs', () => {
  /** The bundled files that the command loaded. */
  async function loadedFiles(args: readonly string[]): Promise<string[]> {
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), NODE_V8_COVERAGE: project }
    const { code, stderr } = await runCurfew(args, env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const urls = readdirSync(project).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(project, file), 'utf8')) as {
        result: { url: string }[]
      }
      return result.map(({ url }) => url)
    })
    return urls.filter((url) => url.includes('/cli/bundle/')).map((url) => basename(url))
  }

  test.each([[['--version']], [['demo', '--help']]])('%j loads less than 100 kB', async (args) => {
    const files = await loadedFiles(args)
    expect(files).toContain('main.cjs')
    const bytes = files.map((file) => statSync(join(bundle, file)).size)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
  })

  test.each([[['tools']], [['call', 'script_greet', 'name=Ada']]])('%j compiles no schema', async (args) => {
    const files = await loadedFiles(args)
    expect(files.filter((file) => /^(?:ajv|undici)/.test(file))).toEqual([])
  })

  test("a list of models without requests loads no provider's package", async () => {
    const files = await loadedFiles(['models', '--no-check', '--model', 'google:x@http://127.0.0.1:9/v1'])
    expect(files).toContain('run-models.cjs')
    expect(files.filter((file) => file.startsWith('ai-sdk-'))).toEqual([])
    expect(readdirSync(bundle)).toEqual(
      expect.arrayContaining(['ai-sdk-anthropic.cjs', 'ai-sdk-google.cjs', 'ai-sdk-openai-compatible.cjs']),
    )
  })

  test('the gateway lists known tools without the MCP SDK', () => {
    const preload = fileURLToPath(new URL('fixtures/report-loaded.cjs', import.meta.url))
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ]
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', preload, join(cli, 'bin', 'curfew.cjs'), 'mcp'],
      {
        cwd: project,
        env: plainEnvironment({ HOME: home, XDG_CONFIG_HOME: join(home, '.config') }),
        input: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
        encoding: 'utf8',
      },
    )
    expect(stderr).toMatch(/^loaded: .*run-mcp-serve\.cjs/)
    expect(stderr).not.toMatch(/mcp-sdk|zod/)
    const answers = stdout.trim().split('\n')
    expect(answers.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2])
  })

  test('a call compiles a schema that is not flat', async () => {
    expect(await loadedFiles(['call', 'script_nested', 'list:=[1]'])).toContain('ajv-dist-2020.cjs')
  })
})

describe('the package', () => {
  function curfew(...args: string[]): string {
    const bin = join(project, 'package', 'bin', 'curfew.cjs')
    const env = plainEnvironment({ HOME: home, XDG_CONFIG_HOME: join(home, '.config') })
    return execFileSync(process.execPath, [bin, ...args], { cwd: project, env, encoding: 'utf8' })
  }

  test('works in an empty folder, without its dependencies', { timeout: 120_000 }, () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', project], { cwd: cli, encoding: 'utf8' }),
    ) as { filename: string; files: { path: string }[] }[]
    expect(packed!.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'THIRD-PARTY-NOTICES.txt',
        'bundle/main.cjs',
        'bundle/tool-thread-main.js',
        'bundle/writer-thread.js',
      ]),
    )
    execFileSync('tar', ['-xzf', packed!.filename], { cwd: project })
    expect(curfew('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(curfew('tools')).toContain('script_greet')
    expect(JSON.parse(curfew('call', 'script_greet', 'name=Ada'))).toMatchObject({ value: { name: 'Ada' } })
    const state = join(home, '.local', 'state')
    expect(recordedCalls(state)).toMatchObject([{ tool: 'script_greet', status: 'success' }])
    expect(() => curfew('call', 'nonexistent')).toThrow()
    expect(loggedLines(state)).toMatchObject([{ code: 'TOOL_NOT_FOUND' }])
    expect(curfew('timeout', '10', 'echo', 'hello')).toBe('hello\n')
    expect(curfew('config')).toContain('toolCallTimeout')
  })

  test('requires only Node and, optionally, the keychain and ripgrep', () => {
    const required = readdirSync(bundle).flatMap((file) => {
      const code = readFileSync(join(bundle, file), 'utf8')
      // The lookbehind skips the code that Ajv generates.
      return [...code.matchAll(/(?<![`"\\])\b(?:require|import)\("([^."][^"]*)"\)/g)].map(([, name]) => name!)
    })
    expect(new Set(required.filter((name) => !isBuiltin(name)))).toEqual(
      new Set(['@napi-rs/keyring', '@vscode/ripgrep']),
    )
  })

  test('contains the licences of the packages in the bundle', () => {
    const notices = readFileSync(join(cli, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of [
      'ajv',
      'undici',
      'zod',
      'smol-toml',
      '@modelcontextprotocol/server',
      '@ai-sdk/google',
      '@ai-sdk/provider-utils',
    ])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })
})
