import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { answer, call, PromptSetup, problemsOf } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const setup = new PromptSetup()

/** An external agent that is Curfew itself, with the same model. */
function nest(model: string, more: object = {}): void {
  const command = [process.execPath, bin, '-p', '-', '--yes', '--no-session', '--model', model]
  setup.writeUser('config.json', { externalAgents: { again: { command } }, ...more })
}

const again = { agent: 'again', task: 'Go on.' }

describe('curfew → an agent → curfew → …', () => {
  test('ends at the depth limit', async () => {
    const { server, model } = await setup.serve(({ body }) =>
      /"role":"tool"/.test(JSON.stringify(body)) ? answer('Back.') : call('invoke_external_agent', again),
    )
    nest(model, { limits: { depth: 2 } })
    const { stdout, code } = await setup.run('-p', 'Go.', '--yes', '--model', model)
    expect([stdout, code]).toEqual(['Back.\n', 0])
    expect(problemsOf({ server, model })).toEqual([])
    // The processes at the levels 0, 1 and 2 ask the model twice; the one at level 3 ends at once.
    expect(server.requests).toHaveLength(6)
    const results = JSON.stringify(server.requests.map(({ body }) => body.messages))
    expect(results).toContain('3 levels deep (CURFEW_DEPTH); limits.depth allows 2')
  })
})

describe('inside a call of another process', () => {
  test.each([
    ['-p', ['-p', 'Go.', '--model', 'openai-compatible:x@http://127.0.0.1:9/v1']],
    ['mcp', ['mcp']],
    ['call', ['call', 'sleep', 'seconds=1']],
  ])('curfew %s refuses to run beyond the depth limit', async (command, args) => {
    const { code, stderr } = await ending(setup.start(args, 'ignore', { CURFEW_DEPTH: '9' }))
    expect(code).toBe(2)
    expect(stderr).toContain(
      `curfew ${command}: LIMIT_EXCEEDED: it was started by a call that is nested 9 levels deep (CURFEW_DEPTH); limits.depth allows 8`,
    )
  })

  test('a script that calls itself ends at the limit of the first process', async () => {
    const levels = join(setup.project, 'levels')
    setup.script(
      'again',
      `echo level >> ${levels}; CURFEW_TRUST=1 ${process.execPath} ${bin} call script_again`,
    )
    const args = ['call', 'script_again', '--set', 'limits.depth=3']
    const { stdout } = await ending(setup.start(args, 'ignore'))
    expect(readFileSync(levels, 'utf8')).toBe('level\n'.repeat(4))
    expect(stdout).toContain('LIMIT_EXCEEDED')
  })

  test('a call that the deadline of its parent ends is recorded as a timeout, also if it was started late', async () => {
    const script = `sleep 1; exec ${process.execPath} ${bin} call sleep seconds=60 > ${join(setup.project, 'inner')}`
    setup.script('outer', script)
    await ending(setup.start(['call', 'script_outer', '--timeout', '8'], 'ignore'))
    const inner = JSON.parse(readFileSync(join(setup.project, 'inner'), 'utf8'))
    expect(inner).toMatchObject({ code: 'TOOL_TIMEOUT', timeoutSource: 'parent' })
  })

  test('an invalid variable is reported', async () => {
    const { stderr } = await ending(
      setup.start(['call', 'sleep', 'seconds=0.01'], 'ignore', { CURFEW_DEPTH: 'x' }),
    )
    expect(stderr).toContain('CURFEW_DEPTH: expected a whole number from 0, got "x"')
  })

  test('curfew call and scripts keep to the deadline and pass the depth on', async () => {
    setup.script('nested', 'echo "$CURFEW_DEPTH"')
    const env = { CURFEW_DEPTH: '2', CURFEW_DEADLINE_MS: '60000' }
    const { stdout } = await ending(setup.start(['call', 'script_nested'], 'ignore', env))
    expect(JSON.parse(stdout)).toMatchObject({ value: 3, timeoutSource: 'parent' })
    const late = await ending(
      setup.start(['call', 'sleep', 'seconds=30'], 'ignore', { CURFEW_DEADLINE_MS: '2000' }),
    )
    expect(JSON.parse(late.stdout)).toMatchObject({ code: 'TOOL_TIMEOUT', timeoutSource: 'parent' })
  })

  test('curfew mcp: variables and _meta limit the calls of clients', async () => {
    const request = (id: number, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const sleep = { name: 'sleep', arguments: { seconds: 30 } }
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const messages = [
      initialize,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request(1, { ...sleep, _meta: { 'curfew/depth': 8 } }),
      request(2, { ...sleep, _meta: { 'curfew/remaining-ms': 300 } }),
      request(3, sleep),
      request(4, {
        ...sleep,
        arguments: { seconds: 0.01 },
        _meta: { 'curfew/depth': 'x', 'curfew/remaining-ms': -1 },
      }),
    ]
    const env = { CURFEW_DEPTH: '1', CURFEW_DEADLINE_MS: '8000' }
    const gateway = setup.start(['mcp', '--builtins'], 'pipe', env)
    gateway.stdin!.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    const results = new Map<number, string>()
    let text = ''
    gateway.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (const line of text.split('\n').slice(0, -1)) {
        const { id, result } = JSON.parse(line)
        if (id > 0) results.set(id, JSON.stringify(result))
      }
      text = text.slice(text.lastIndexOf('\n') + 1)
      if (results.size === 4) gateway.stdin!.end()
    })
    await ending(gateway)
    expect(results.get(1)).toContain('LIMIT_EXCEEDED')
    expect(results.get(2)).toContain('TOOL_TIMEOUT')
    expect(results.get(3)).toContain('TOOL_TIMEOUT')
    expect(results.get(4)).not.toContain('isError')
  })
})

describe('agents of a project', () => {
  const file = '---\ndescription: Look around.\ntools: script_look\n---\nYou look around, ARGUS.'

  test('are offered if it is trusted; invalid ones are reported', async () => {
    setup.script('look', 'echo seen', { always_allow: true })
    setup.write('agents/argus.md', file)
    setup.write('agents/bad.md', '---\nmode: yolo\n---\nx')
    const { server, stderr, stdout } = await setup.prompt(
      [
        call('invoke_subagent', { task: 'Look.', agent: 'argus' }),
        call('script_look'),
        answer('I saw it.'),
        answer('Done.'),
      ],
      '-p',
      'Go.',
    )
    expect(stdout).toBe('Done.\n')
    expect(stderr).toContain('agents/bad.md:1: description: missing')
    const [, child, , parent] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(child).toContain('ARGUS')
    expect(child).not.toContain('invoke_subagent')
    expect(parent).toContain('I saw it.\\n\\n[argus: script_look')
  })

  test('are ignored otherwise, and so are programs that it names', async () => {
    setup.write('agents/argus.md', file)
    setup.write('config.json', { externalAgents: { evil: { command: ['evil'] } } })
    const { server, model } = await setup.serve(() => answer('Done.'))
    const trusted = await setup.run('-p', 'Go.', '--model', model)
    expect(trusted.stderr).toContain(
      'externalAgents.evil.command: only your own config.json can name programs',
    )
    await ending(setup.start(['-p', 'Go.', '--model', model], 'ignore', { CURFEW_TRUST: '' }))
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body))
    expect([first!.includes('argus'), first!.includes('evil')]).toEqual([true, false])
    expect(second).not.toContain('argus')
  })
})

test('generate_image uses the configured model; without one, the tool does not exist', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  const images = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data: [{ b64_json: png.toString('base64') }] }))
  })
  await new Promise<void>((resolve) => void images.listen(0, '127.0.0.1', resolve))
  const { port } = images.address() as AddressInfo
  setup.writeUser('config.json', { imageModel: `openai-compatible:painter@http://127.0.0.1:${port}/v1` })
  const { server, stdout } = await setup.prompt(
    [call('generate_image', { prompt: 'A cat.', path: 'cat' }), answer('Painted.')],
    '-p',
    'Paint.',
    '--yes',
  )
  images.close()
  expect(stdout).toBe('Painted.\n')
  expect(JSON.stringify(server.requests[1]!.body)).toContain('Saved cat.png (image/png, 10 bytes).')
  expect(readFileSync(join(setup.project, 'cat.png'))).toEqual(png)
  expect(JSON.stringify(server.requests[0]!.body.tools)).not.toContain('transcribe_media')
})
