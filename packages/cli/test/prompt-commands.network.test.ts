import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { answer, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const setup = new PromptSetup()
const prompting = fileURLToPath(new URL('fixtures/prompting-mcp-server.js', import.meta.url))
const noKeys = { ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '', OPENAI_API_KEY: '' }
/** Without any model. */
const typed = (...args: string[]) => ending(setup.start(['-p', ...args], 'ignore', noKeys))
const sent = async (...args: string[]) => {
  const ended = await setup.prompt([answer('ok')], '-p', ...args)
  expect(ended.code).toBe(0)
  return { ...ended, request: JSON.stringify(ended.server.requests[0]!.body) }
}

describe('commands work without a model', () => {
  it('/tools and /timeouts list the tools', async () => {
    setup.script('shout', 'tr a-z A-Z')
    expect(await typed('/tools shout')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/script_shout +Run shout/),
    })
    expect(await typed('/timeouts shout')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/script_shout +5 min/),
    })
    setup.writeUser('config.json', {
      timeouts: { script: '2m' },
      toolCallTimeout: '4m',
      tools: { script_slow: { timeout: '9m' } },
    })
    setup.script('slow', 'sleep 1')
    const { stdout } = await setup.run('tools', 'script_*', '--set', 'maxToolCallTimeout=5m')
    expect(stdout).toMatch(/script_shout .*2 min +timeouts\.script in ~\/\.config\/curfew\/config\.json\n/)
    expect(stdout).toMatch(/script_slow .*5 min +maxToolCallTimeout in --set\n/)
    const listed = await typed('/timeouts script_', '--set', 'maxToolCallTimeout=5m')
    const setBy = (text: string) => [...text.matchAll(/ min +(.*)\n/g)].map((match) => match[1])
    expect(setBy(listed.stdout)).toEqual(setBy(stdout))
    const help = await typed('/help')
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('/tool NAME') })
    expect(help.stdout).toContain('Mentions (@path, @glob, @url, @server:uri) add')
    expect(await typed('/usage')).toMatchObject({ code: 0 })
  })

  it('/model shows the model', async () => {
    expect(await typed('/model')).toMatchObject({ code: 0, stdout: 'There is no model.\n' })
    const { model } = await setup.serve([])
    expect((await setup.run('-p', '/model', '--model', model)).stdout).toBe(
      'The model is openai-compatible:test-model.\n',
    )
  })

  it('/review reviews the tools of the agent', async () => {
    setup.script('shout', 'tr a-z A-Z')
    const ended = await typed('/review', '--output', 'json')
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({ text: expect.stringContaining('script_shout') })
    expect(await typed('/review --fix')).toMatchObject({
      code: 2,
      stderr: 'curfew: /review takes no arguments; run curfew review --fix in a shell\n',
    })
  })

  it('/init creates config.json', async () => {
    expect(await typed('/init')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^created \.curfew\/config\.json and /),
    })
    expect(existsSync(join(setup.project, '.curfew/config.json'))).toBe(true)
    expect(await typed('/init')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^curfew: \/init: .* already exists/),
    })
    expect(await typed('/init --usr')).toMatchObject({ code: 2, stderr: expect.stringContaining('--usr') })
  })

  it('/mcp without servers names the command that adds one', async () => {
    expect(await typed('/mcp')).toMatchObject({
      code: 0,
      stdout: 'There are no MCP servers; curfew mcp add adds one.\n',
    })
  })

  it('/compact in a new conversation leaves no session', async () => {
    expect(await typed('/compact')).toMatchObject({ code: 0, stdout: 'There is nothing to summarize yet.\n' })
    expect((await setup.run('sessions')).stdout).toContain('no conversations')
  })

  it.each([
    ['/tool script_shout text=hi', 0, /^HI\n$/],
    ['/tool script_shout {"text": "a b"}', 0, /A B/],
    ['/tool script_fail', 1, /TOOL_FAILED/],
    ['/tool script_slow', 124, /TOOL_TIMEOUT/],
    ['/tool script_nothing', 2, /TOOL_NOT_FOUND/],
  ])('%s exits with %d', async (input, code, stdout) => {
    setup.script(
      'shout',
      'node -e \'console.log(JSON.parse(require("fs").readFileSync(0,"utf8")).text.toUpperCase())\'',
    )
    setup.script('fail', 'exit 3')
    setup.script('slow', 'sleep 60', { timeout: 0.3 })
    const ended = await typed(input)
    expect(ended).toMatchObject({ code, stdout: expect.stringMatching(stdout) })
  })

  it.each(['!touch touched', ' ! touch touched', '!touch touched\nPlease fix this.'])(
    'without a terminal, a shell command is rejected: %j',
    async (prompt) => {
      const { server, model } = await setup.serve([answer('ok')])
      const ended = await setup.run('-p', prompt, '--yes', '--model', model)
      expect(ended).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('run the command in your shell'),
      })
      expect(server.requests).toEqual([])
      expect(existsSync(join(setup.project, 'touched'))).toBe(false)
      expect((await setup.prompt([answer('ok')], '-p', '\\!touch touched')).stdout).toBe('ok\n')
    },
  )
  it('the error of a typed call is printed once', async () => {
    const { stdout, stderr } = await typed('/tool script_nothing')
    expect(stdout).toMatch(/^TOOL_NOT_FOUND: /)
    expect(stderr).toMatch(/^✗ script_nothing \([\d.]+ m?s\) TOOL_NOT_FOUND\n$/)
  })

  it('a typed call is not asked about, but deny rules apply', async () => {
    setup.script('touch', `touch '${setup.project}/touched'`)
    setup.writeUser('config.json', { approval: { rules: { deny: ['script_touch'] } } })
    expect(await typed('/tool script_touch')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('DENIED'),
    })
    expect(existsSync(join(setup.project, 'touched'))).toBe(false)
  })

  it('--output json contains the result and its call', async () => {
    setup.script('shout', 'echo LOUD')
    const { stdout } = await typed('/tool script_shout', '--output', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      model: null,
      reason: 'command',
      text: 'LOUD',
      calls: [{ name: 'script_shout', status: 'success', allowedBy: 'person' }],
      usage: { requests: 0 },
    })
  })

  it('an unknown command is an error and never a prompt', async () => {
    const { server, model } = await setup.serve([answer('ok')])
    const ended = await setup.run('-p', '/secert my-key', '--model', model)
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('/secert') })
    expect(server.requests).toEqual([])
  })
})

it('the model sees the result of /tool when the conversation is continued', async () => {
  setup.script('shout', 'echo LOUD')
  await setup.prompt([], '-p', '/tool script_shout')
  const { request } = await sent('What was it?', '--continue')
  expect(request).toMatch(/I ran the tool script_shout .*LOUD.*What was it\?/)
})

describe('your own commands', () => {
  it('send a prompt, with standard input after it', async () => {
    setup.writeUser('commands/fix.md', '---\ndescription: Fix an issue\n---\nFix issue $1 now.')
    const { model, server } = await setup.serve([answer('ok')])
    const child = setup.start(['-p', '/fix 42', '--model', model], 'pipe')
    child.stdin!.end('the log')
    expect(await ending(child)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(JSON.stringify(server.requests[0]!.body)).toMatch(/Fix issue 42 now\..*the log/)
  })

  it('of a project exist only if it is trusted', async () => {
    setup.write('commands/deploy.md', 'Deploy it.')
    const { request } = await sent('/deploy')
    expect(request).toContain('Deploy it.')
    const { model } = await setup.serve([answer('ok')])
    const child = setup.start(['-p', '/deploy', '--model', model], 'ignore', { CURFEW_TRUST: '' })
    expect(await ending(child)).toMatchObject({ code: 2, stderr: expect.stringContaining('/deploy') })
  })

  it('without a model fail as documented', async () => {
    setup.writeUser('commands/fix.md', 'Fix it.')
    const ended = await typed('/fix', '--output', 'json')
    expect(ended.code).toBe(2)
    expect(JSON.parse(ended.stdout)).toMatchObject({
      reason: 'model-failure',
      message: expect.stringContaining('no model is configured'),
    })
  })

  it('with mistakes are reported', async () => {
    setup.writeUser('commands/empty.md', '---\ndescription: x\n---\n')
    const { stderr } = await sent('Hello')
    expect(stderr).toMatch(/^error: .*empty\.md:1: expected a prompt/)
  })
})

describe('MCP servers', () => {
  const configure = (env: Record<string, string> = {}) =>
    setup.writeUser('mcp.json', {
      mcpServers: { notes: { command: process.execPath, args: [prompting], env } },
    })

  it('their tools are available, and /mcp lists them', async () => {
    configure()
    expect(await typed('/mcp')).toMatchObject({ code: 0, stdout: expect.stringMatching(/notes +1 +\d/) })
    expect(await typed('/tool mcp__notes__hello')).toMatchObject({ code: 0, stdout: 'hello\n' })
  })

  it('their prompts are commands, also if they are listed late; what they mention is not read', async () => {
    configure({ LATE_PROMPTS: '700' })
    const { request } = await sent('/mcp__notes__fix 42')
    expect(request).toContain('Please fix issue 42, see @.env')
  })

  it('@server:uri is read, what does not exist stays text', async () => {
    configure()
    const { request, stderr } = await sent('Summarize @notes:note://one and @README.md')
    expect(request).toContain('the content of note://one')
    expect(request).toContain('@README.md')
    expect(stderr).toBe('@README.md is sent as text, because there is no such file\n')
  })

  it('mentioned files are read, except secret ones', async () => {
    writeFileSync(join(setup.project, 'NOTES.md'), 'the notes\nof today')
    writeFileSync(join(setup.project, '.env'), 'TOKEN=abcdefgh')
    const { request, stderr } = await sent('Summarize @NOTES.md, @NOTES.md:2 and @*.md with @.env')
    expect(request).toContain('the notes')
    expect(request).toContain('2\\tof today')
    expect(request).not.toContain('abcdefgh')
    expect(stderr).toMatch(/^@\.env could not be read: .*secretFiles/m)
    // Before the turn, and the reason only once.
    expect(stderr).toMatch(/✗ read_file \{[^}]*\.env"\} \([^)]*\) DENIED\n.*@\.env could not be read/s)
    expect(stderr.match(/secretFiles/g)).toHaveLength(1)
  })

  it('a server that does not respond within its timeout is reported', async () => {
    setup.writeUser('mcp.json', {
      mcpServers: {
        notes: { command: process.execPath, args: [prompting], env: { SLOW: '60000' }, timeout: '500ms' },
      },
    })
    const { stderr } = await sent('Summarize @notes:note://one')
    expect(stderr).toMatch(/^@notes:note:\/\/one could not be read: .*500 ms/)
  })

  it('a server that cannot start is reported, and the others work', async () => {
    setup.writeUser('mcp.json', {
      mcpServers: {
        broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
        notes: { command: process.execPath, args: [prompting] },
      },
    })
    const { stderr, request } = await sent('Hello')
    expect(stderr).toContain('mcpServers.broken')
    expect(request).toContain('mcp__notes__hello')
  })
})
