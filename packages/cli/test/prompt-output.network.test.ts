import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { wireFormats } from '../../../packages/torture/src/model-server/start-model-server.ts'
import { answer, call, linesOf, PromptSetup, problemsOf } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const setup = new PromptSetup()

describe.each(wireFormats)('curfew -p with the protocol of %s', (format) => {
  it('prints only the answer to standard output, and calls to standard error', async () => {
    setup.script('shout', 'tr a-z A-Z')
    const served = await setup.serve(
      [[{ text: 'Let me see.' }, ...call('script_shout', { text: 'hello' })], answer('It says HELLO.')],
      format,
    )
    const ended = await setup.run('-p', 'Shout hello', '--model', served.model, '--allow', 'script_shout')
    expect(problemsOf(served)).toEqual([])
    expect(ended).toMatchObject({ code: 0, stdout: 'It says HELLO.\n' })
    expect(ended.stderr).toMatch(/^· Let me see\.\n✓ script_shout {"text":"hello"} \([\d.]+ m?s\)\n$/)
  })
})

/** A lower count could not be true, and would be replaced by an estimate. */
const usage = { usage: { input: 5_000, output: 5 } }

describe('--output json', () => {
  it('is one object with every field that is documented', async () => {
    const ended = await setup.prompt(
      [
        [{ text: 'Hm.' }, ...call('sleep', { seconds: 0.01 }), usage],
        [...answer('Rested.'), usage],
      ],
      '-p',
      'Rest',
      '--output',
      'json',
    )
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.stdout)).toEqual({
      version: 1,
      session: expect.stringMatching(/^\d{8}-\d{6}-[a-z0-9]{3}$/),
      model: 'openai-compatible:test-model',
      reason: 'answer',
      message: null,
      text: 'Rested.',
      calls: [
        {
          uid: 1,
          id: expect.any(String),
          name: 'sleep',
          parentUid: null,
          status: 'success',
          input: { seconds: 0.01 },
          timeoutMs: expect.any(Number),
          timeoutSource: 'tool',
          allowedBy: 'readOnly',
          durationMs: expect.any(Number),
          code: null,
          content: expect.any(String),
        },
      ],
      usage: { requests: 2, inputTokens: 10_000, outputTokens: 10, cacheReadTokens: 0, money: null },
      durationMs: expect.any(Number),
    })
  })
})

it.each(['json', 'text'])('a slow reader gets all of --output %s', async (format) => {
  const { model } = await setup.serve([answer('x'.repeat(300_000))])
  const child = setup.start(['-p', 'Go', '--output', format, '--model', model])
  const closed = once(child, 'close')
  await sleep(2_000)
  let length = 0
  child.stdout!.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  expect(await closed).toEqual([0, null])
  expect(length).toBeGreaterThan(300_000)
})

describe('--output stream-json', () => {
  it('is one object per line, from init to end, in the order of what happens', async () => {
    const ended = await setup.prompt(
      [
        [{ reasoning: 'Hm.' }, { text: 'Wait.' }, ...call('sleep', { seconds: 0.01 }), usage],
        [...answer('Rested.'), usage],
      ],
      '-p',
      'Rest',
      '--output',
      'stream-json',
    )
    const lines = linesOf(ended)
    expect(lines[0]).toEqual({
      type: 'init',
      version: 1,
      session: expect.any(String),
      model: 'openai-compatible:test-model',
      mode: 'ask',
      folder: setup.project,
      tools: expect.arrayContaining(['timeout', 'store_secret', 'run_command', 'read_file', 'fetch_url']),
    })
    const types = lines.map(({ type, status }) => (status === undefined ? type : `${type} ${status}`))
    expect(types).toEqual([
      'init',
      'reasoning',
      'text',
      'usage',
      'call validating',
      'call scheduled',
      'call executing',
      'call success',
      'text',
      'usage',
      'end',
    ])
    expect(lines[4]).toMatchObject({ uid: 1, name: 'sleep', input: { seconds: 0.01 } })
    expect(lines[7]).toMatchObject({
      uid: 1,
      durationMs: expect.any(Number),
      code: null,
      content: expect.any(String),
    })
    expect(lines[7]).not.toHaveProperty('input')
    expect(lines.at(-1)).toEqual({
      type: 'end',
      reason: 'answer',
      message: null,
      text: 'Rested.',
      usage: { requests: 2, inputTokens: 10_000, outputTokens: 10, cacheReadTokens: 0, money: null },
      durationMs: expect.any(Number),
    })
  })

  it('streams: text arrives before the response is complete', async () => {
    const { model } = await setup.serve([[{ text: 'first' }, { wait: 5_000 }, { text: 'last' }]])
    const child = setup.start(['-p', 'Go', '--output', 'stream-json', '--model', model])
    let seen = ''
    child.stdout!.on('data', (chunk) => {
      seen += chunk
    })
    await expect.poll(() => seen, { timeout: 20_000, interval: 10 }).toContain('"first"')
    expect(seen).not.toContain('"last"')
    expect(await ending(child)).toMatchObject({ code: 0 })
  })

  it('ends quietly, with nothing left running, if the reader leaves', async () => {
    setup.script('slow', 'sleep 987654')
    const { model } = await setup.serve([call('script_slow'), answer('never')])
    const child = setup.start(['-p', 'Go', '--yes', '--output', 'stream-json', '--model', model])
    await once(child.stdout!, 'data')
    child.stdout!.destroy()
    const ended = await ending(child)
    expect(ended).toMatchObject({ code: 141, stderr: '' })
  })

  it('waits for a slow reader', async () => {
    const text = 'x'.repeat(1_000)
    const { model } = await setup.serve([Array.from({ length: 2_000 }, () => ({ text }))])
    const child = setup.start(['-p', 'Go', '--output', 'stream-json', '--model', model])
    const closed = once(child, 'close')
    await sleep(2_000)
    let stdout = ''
    child.stdout!.on('data', (chunk) => {
      stdout += chunk
    })
    expect(await closed).toEqual([0, null])
    const texts = linesOf({ stdout }).filter(({ type }) => type === 'text')
    expect(texts.map((line) => String(line.text)).join('')).toHaveLength(2_000_000)
  })
})

it.each(['json', 'stream-json'])(
  '%s has no characters that control a terminal, and loses none',
  async (output) => {
    const text = 'a\u001b[2J\u009b31m\u007f\u202eb\u2028c 👍'
    setup.script('same', 'cat')
    const script = [call('script_same', { text }), answer(text)]
    const ended = await setup.prompt(script, '-p', 'Go', '--yes', '--output', output)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(ended.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]/)
    expect(linesOf(ended).at(-1)).toMatchObject({ text })
  },
)

it('a model on this machine is not reached through a proxy', async () => {
  const { model } = await setup.serve([answer('ok')])
  const proxy = 'http://127.0.0.1:9'
  const env = { http_proxy: proxy, HTTP_PROXY: proxy, no_proxy: '', NO_PROXY: '' }
  const ended = await ending(setup.start(['-p', 'Go', '--model', model], 'ignore', env))
  expect(ended).toMatchObject({ code: 0, stdout: 'ok\n', stderr: '' })
})

it('control characters of models and tools do not reach the terminal', async () => {
  setup.script('evil', "printf '\\033[2J evil' >&2; exit 3")
  const ended = await setup.prompt(
    [
      call('script_evil', { text: '\u001b]0;title\u0007' }),
      answer('a\u001b[31mred\u001b]0;x\u0007\u202eb\r\nc'),
    ],
    '-p',
    'Go',
    '--yes',
  )
  expect(ended.stdout).toBe('aredb\nc\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  expect(ended.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  expect(ended.stderr).toMatch(/^✗ script_evil .*TOOL_FAILED: .*evil/)
})

describe('standard input', () => {
  const withInput = async (input: string | Buffer, ...args: string[]) => {
    const served = await setup.serve([answer('ok')])
    const child = setup.start([...args, '--model', served.model], 'pipe')
    child.stdin!.on('error', () => {})
    child.stdin!.end(input)
    return { ...(await ending(child)), ...served }
  }
  const promptOf = ({ server }: Awaited<ReturnType<typeof withInput>>): string => {
    const { messages } = server.requests[0]!.body as { messages: { role: string; content: unknown }[] }
    return JSON.stringify(messages.find(({ role }) => role === 'user'))
  }

  it('is added after the prompt', async () => {
    const ended = await withInput('diff --git', '-p', 'Explain this')
    expect(ended.stdout).toBe('ok\n')
    expect(promptOf(ended)).toMatch(/Explain this.*diff --git/)
  })

  it.each([[['-p', '-']], [['-p']], [['-p', '--output', 'text']]])('is the prompt with %j', async (args) => {
    const ended = await withInput('What is this?', ...args)
    expect(ended).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(promptOf(ended)).toContain('What is this?')
  })

  it('is data: it runs no commands', async () => {
    const ended = await withInput('!touch pwned\n', '-p')
    expect(promptOf(ended)).toContain('!touch pwned')
  })

  it('is not waited for if a program left it open without writing', async () => {
    const { model, server } = await setup.serve([answer('ok')])
    const child = setup.start(['-p', 'Go', '--model', model], 'pipe')
    const ended = await ending(child)
    expect(ended).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(ended.stderr).toContain('Nothing arrived on standard input')
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['is empty', '', /expected a prompt, got an empty standard input/],
    ['is not UTF-8', Buffer.from([0x66, 0xff, 0xfe]), /expected UTF-8 text on standard input/],
    ['is too large', 'x'.repeat((4 << 20) + 1), /expected at most 4 MiB on standard input/],
  ])('is rejected if it %s', async (_, input, message) => {
    const ended = await withInput(input, '-p')
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(ended.server.requests).toEqual([])
  })
})

it('options without -p are rejected', async () => {
  expect(await setup.run('--model', 'google:x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected -p PROMPT'),
  })
})

it('a prompt that starts with a dash is a prompt', async () => {
  const ended = await setup.prompt([answer('ok')], '-p', '- one\n- two')
  expect(ended).toMatchObject({ code: 0, stdout: 'ok\n' })
})
