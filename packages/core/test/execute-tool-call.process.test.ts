import {
  type Answer,
  CredentialRequiredError,
  type CurfewError,
  defineTool,
  executeToolCall,
  type Question,
  type QuestionHandler,
  storeSecretTool,
  type ToolContext,
  type Vault,
} from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'

const canary = 'canary-5f3a/+secret'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function toolThat(run: (context: ToolContext) => unknown, more: object = {}) {
  return defineTool({
    name: 'deploy',
    description: 'Deploy.',
    secrets: ['KEY'],
    execute: (_params, context) => run(context),
    ...more,
  })
}

/** A vault in memory. */
function memoryVault(
  values: Record<string, string> = {},
  uses: readonly string[] = [],
): Vault & { log: string[] } {
  const log: string[] = []
  const allowed = new Set<string>(uses.length === 0 ? ['tool:deploy'] : [])
  return {
    log,
    canStore: true,
    async read(name, use) {
      log.push(`read ${name} ${use}`)
      const value = values[name]
      if (value === undefined) return { kind: 'missing' }
      return allowed.has(use) ? { kind: 'found', value } : { kind: 'elsewhere', uses }
    },
    async store(name, value, use) {
      log.push(`store ${name} ${use}`)
      values[name] = value
    },
    async allow(name, use) {
      log.push(`allow ${name} ${use}`)
      allowed.add(use)
    },
  }
}

const failure = (promise: Promise<unknown>): Promise<CurfewError> =>
  promise.then(
    () => {
      throw new Error('expected a rejection')
    },
    (error: unknown) => error as CurfewError,
  )

describe('options', () => {
  const tool = toolThat(() => 'done')

  test.each([
    [{ onOuput: () => {} }, 'onOuput: unknown option; did you mean "onOutput"?'],
    [
      { limits: {} },
      'limits: unknown option; use one of timeout, toolCallTimeout, signal, grace, approvalTimeout, onOutput, onProgress, ask, vault, clock',
    ],
    [{ onOutput: 'log' }, 'onOutput: expected a function, got "log"'],
    [{ onProgress: 5 }, 'onProgress: expected a function, got 5'],
    [{ ask: 'once' }, 'ask: expected a function, got "once"'],
    [{ ask: null }, 'ask: expected a function, got null'],
    [{ vault: {} }, 'vault: expected an object with the functions read, store, allow, got {}'],
    [{ vault: null }, 'vault: expected an object with the functions read, store, allow, got null'],
    [{ clock: 1 }, 'clock: expected an object with the functions now, setTimer, clearTimer, got 1'],
    [{ signal: {} }, 'signal: expected an AbortSignal, got {}'],
    [null, 'options: expected an object, got null'],
    [[], 'options: expected an object, got []'],
  ])('%j is rejected', async (options, message) => {
    const error = await failure(executeToolCall(tool, {}, options as never))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message, field: message.split(':')[0] })
  })

  test.each(['timeout', 'toolCallTimeout', 'grace', 'approvalTimeout'])('%s is a duration', async (field) => {
    const error = await failure(executeToolCall(tool, {}, { [field]: '5 parsecs' }))
    expect(error).toMatchObject({ code: 'INVALID_DURATION', field })
  })

  test('undefined options are ignored', async () => {
    const options = { onOutput: undefined, ask: undefined, vault: undefined, signal: undefined }
    expect(await executeToolCall(tool, {}, options)).toBe('done')
  })
})

describe('output and progress', () => {
  test('onOutput gets every chunk with its stream and offset', async () => {
    const seen: unknown[] = []
    const tool = toolThat(({ output }) => {
      output('one ')
      output(Buffer.from('größe').subarray(0, 4), 'stderr')
      output('two')
      output(Buffer.from('größe').subarray(4), 'stderr')
    })
    await executeToolCall(tool, {}, { onOutput: (output) => seen.push(output) })
    expect(seen).toEqual([
      { stream: 'stdout', text: 'one ', offset: 0, pending: '' },
      { stream: 'stderr', text: 'grö', offset: 4, pending: '' },
      { stream: 'stdout', text: 'two', offset: 7, pending: '' },
      { stream: 'stderr', text: 'ße', offset: 10, pending: '' },
    ])
  })

  test('secrets that were read are redacted, even if they are split or come last', async () => {
    const seen: { text: string; offset: number }[] = []
    const progressed: unknown[] = []
    const tool = toolThat(async ({ output, progress, secret }) => {
      await secret('KEY')
      output(`key: ${canary.slice(0, 8)}`)
      output(canary.slice(8))
      output(` and ${canary.slice(0, 5)}`)
      progress({ current: 1, message: `using ${canary}` })
    })
    await executeToolCall(
      tool,
      {},
      {
        vault: memoryVault({ KEY: canary }),
        onOutput: (output) => seen.push(output),
        onProgress: (progress) => progressed.push(progress),
      },
    )
    expect(seen.map(({ text }) => text).join('')).toBe('key: [secret KEY] and canar')
    let offset = 0
    for (const output of seen) {
      expect(output.offset).toBe(offset)
      offset += output.text.length
    }
    expect(progressed).toMatchObject([{ current: 1, message: 'using [secret KEY]' }])
  })

  test('an error in a callback is reported once and does not affect the call', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const tool = toolThat(async ({ output, progress, secret }) => {
      await secret('KEY')
      for (let index = 0; index < 3; index++) output('x')
      progress({ current: 1 })
      return 'done'
    })
    const fail = (): never => {
      throw new Error(`no, ${canary}`)
    }
    const options = { vault: memoryVault({ KEY: canary }), onOutput: fail, onProgress: fail }
    expect(await executeToolCall(tool, {}, options)).toBe('done')
    expect(stderr.mock.calls).toEqual([['curfew error deploy: onOutput failed: no, [secret KEY]\n']])
  })

  test('an aborting callback cancels the call', async () => {
    const controller = new AbortController()
    const tool = toolThat(async ({ output, signal }) => {
      output('x')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    const options = { signal: controller.signal, onOutput: () => controller.abort() }
    expect(await failure(executeToolCall(tool, {}, options))).toMatchObject({ code: 'CANCELLED' })
  })
})

describe('questions', () => {
  const asking = toolThat(({ ask }) => ask({ message: 'Which branch?', choices: ['main', 'next'] }))

  test('the handler answers context.ask', async () => {
    const asked: Question[] = []
    const ask = (question: Question): Answer => {
      asked.push(question)
      return { text: 'next' }
    }
    expect(await executeToolCall(asking, {}, { ask })).toBe('next')
    expect(asked).toMatchObject([
      { kind: 'input', tool: 'deploy', message: 'Which branch?', choices: ['main', 'next'], params: {} },
    ])
  })

  test.each<[string, QuestionHandler | undefined, string]>([
    ['without a handler', undefined, 'nobody is available to answer: Which branch?'],
    ['if the handler returns nothing', () => undefined, 'nobody is available to answer: Which branch?'],
    ['if the answer is no text', () => 'once', 'Which branch?: the answer is invalid'],
    ['if the answer is none of the choices', () => ({ text: 'x' }), 'Which branch?: the answer is invalid'],
  ])('%s, the question is denied', async (_name, ask, message) => {
    const error = await failure(executeToolCall(asking, {}, { ask }))
    expect(error).toMatchObject({ code: 'DENIED', message: expect.stringContaining(message) })
  })

  test('a handler that throws denies the question and is reported', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const ask = (): never => {
      throw new Error('the terminal is gone')
    }
    expect(await failure(executeToolCall(asking, {}, { ask }))).toMatchObject({ code: 'DENIED' })
    expect(String(stderr.mock.calls)).toContain('the terminal is gone')
  })

  test('the clock is paused while a person is asked', async () => {
    const clock = createFakeClock()
    const tool = scriptedTool({
      clock,
      script: [{ wait: 900 }, { ask: 'Continue?' }, { wait: 99 }, { return: 'done' }],
    })
    const ask = (): Promise<Answer> =>
      new Promise((resolve) => {
        clock.setTimer(60_000, () => resolve({ text: 'yes' }))
      })
    expect(await clock.runUntil(executeToolCall(tool, {}, { timeout: 1_000, clock, ask }))).toBe('done')
    expect(clock.now()).toBe(60_999)
    expect(clock.pending).toBe(0)
  })

  test.each([
    [undefined, 600_000],
    ['5s', 5_000],
  ] as const)('a question stays open for approvalTimeout (%s)', async (approvalTimeout, expected) => {
    const clock = createFakeClock()
    let signal: AbortSignal | undefined
    const ask: QuestionHandler | undefined = (_question, context) => {
      signal = context.signal
      return new Promise(() => {})
    }
    const error = await clock.runUntil(failure(executeToolCall(asking, {}, { clock, ask, approvalTimeout })))
    expect(error).toMatchObject({ code: 'APPROVAL_EXPIRED' })
    expect(clock.now()).toBe(expected)
    expect(signal?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('cancelling withdraws the question, and the tool can ask nothing more', async () => {
    const clock = createFakeClock()
    const controller = new AbortController()
    const codes: unknown[] = []
    let signal: AbortSignal | undefined
    const tool = toolThat(async ({ ask, secret, requestSecret }) => {
      for (const attempt of [
        () => ask({ message: 'a' }),
        () => ask({ message: 'b' }),
        () => secret('KEY'),
        () => requestSecret({ key: 'KEY' }),
      ]) {
        codes.push((await failure(attempt())).code)
      }
    })
    const call = failure(
      executeToolCall(
        tool,
        {},
        {
          clock,
          signal: controller.signal,
          vault: memoryVault(),
          ask: (_question, context) => {
            signal = context.signal
            return new Promise(() => {})
          },
        },
      ),
    )
    await clock.advance(10)
    controller.abort()
    expect(await clock.runUntil(call)).toMatchObject({ code: 'CANCELLED' })
    expect(codes).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED'])
    expect(signal?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('at most 100 questions are asked', async () => {
    let asked = 0
    const tool = toolThat(async ({ ask }) => {
      for (;;) await ask({ message: 'Again?' })
    })
    const ask = (): Answer => {
      asked++
      return { text: 'yes' }
    }
    expect(await failure(executeToolCall(tool, {}, { ask }))).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(asked).toBe(100)
  })

  test('a tool in a thread can ask', async () => {
    const module = new URL('./fixtures/thread-tools.js', import.meta.url)
    const tool = defineTool({
      name: 'asks',
      description: 'Ask in a thread.',
      isolation: 'thread',
      execute: { module, export: 'asks' },
    })
    expect(await executeToolCall(tool, {}, { ask: () => ({ text: 'yes' }) })).toEqual({ answer: 'yes' })
  })
})

describe('secrets', () => {
  const reading = toolThat(({ secret }) => secret('KEY'))

  test('are read from the vault', async () => {
    const vault = memoryVault({ KEY: canary })
    expect(await executeToolCall(reading, {}, { vault })).toBe(canary)
    expect(vault.log).toEqual(['read KEY tool:deploy'])
  })

  test('are read from the environment by default, and a missing one is not asked for', async () => {
    vi.stubEnv('KEY', canary)
    expect(await executeToolCall(reading, {})).toBe(canary)
    vi.stubEnv('KEY', undefined)
    const ask = vi.fn()
    const error = await failure(executeToolCall(reading, {}, { ask }))
    expect(error).toBeInstanceOf(CredentialRequiredError)
    expect(error.message).toBe('deploy requires the secret KEY; set it in the environment, or pass `vault`')
    expect(ask).not.toHaveBeenCalled()
  })

  test('a missing secret is asked for once, stored and returned', async () => {
    const asked: Question[] = []
    const seen: string[] = []
    const vault = memoryVault()
    const tool = toolThat(async ({ secret, output }) => {
      const [one, other] = await Promise.all([secret('KEY'), secret('KEY')])
      output(`${one}`)
      return one === other
    })
    const ask = (question: Question): Answer => {
      asked.push(question)
      return { secret: canary }
    }
    expect(await executeToolCall(tool, {}, { ask, vault, onOutput: ({ text }) => seen.push(text) })).toBe(
      true,
    )
    expect(asked).toMatchObject([
      { kind: 'secret', key: 'KEY', use: 'tool:deploy', reason: 'missing', tool: 'deploy' },
    ])
    expect(vault.log.filter((entry) => entry.startsWith('store'))).toEqual(['store KEY tool:deploy'])
    expect(seen.join('')).toBe('[secret KEY]')
  })

  test.each<[string, Answer, string]>([
    ['declines', 'no', 'did not enter it'],
    ['enters nothing', { secret: '' }, 'did not enter it'],
    ['does not answer', undefined, 'nobody is available to answer'],
  ])('if the person %s, the secret is not asked for again', async (_name, answer, message) => {
    const ask = vi.fn(() => answer)
    const tool = toolThat(async ({ secret }) => {
      await failure(secret('KEY'))
      return await secret('KEY')
    })
    const error = await failure(executeToolCall(tool, {}, { ask, vault: memoryVault() }))
    expect(error).toMatchObject({ code: 'CREDENTIAL_REQUIRED', message: expect.stringContaining(message) })
    expect(ask).toHaveBeenCalledTimes(1)
  })

  test('a secret that was stored for another use needs approval', async () => {
    const vault = memoryVault({ KEY: canary }, ['host:api.example.com'])
    const asked: string[] = []
    const ask = (question: Question): Answer => {
      asked.push(`${question.kind}: ${question.message}`)
      return 'always'
    }
    expect(await executeToolCall(reading, {}, { ask, vault })).toBe(canary)
    expect(asked).toEqual([
      'secret-use: May your tool deploy use the secret KEY? It was stored for api.example.com.',
    ])
    const denied = memoryVault({ KEY: canary }, ['host:api.example.com'])
    const error = await failure(executeToolCall(reading, {}, { ask: () => 'no', vault: denied }))
    expect(error).toMatchObject({ code: 'DENIED', message: expect.stringContaining('the person denied it') })
    expect(denied.log).not.toContain('allow KEY tool:deploy')
  })

  test('an undeclared secret cannot be read', async () => {
    const tool = toolThat(({ secret }) => secret('OTHER'))
    const vault = memoryVault({ OTHER: canary })
    expect(await failure(executeToolCall(tool, {}, { vault }))).toMatchObject({ code: 'INVALID_TOOL' })
    expect(vault.log).toEqual([])
  })

  test('the clock is paused while the vault responds, which is limited too', async () => {
    const clock = createFakeClock()
    const slow: Vault = { ...memoryVault(), read: () => new Promise(() => {}) }
    const error = await clock.runUntil(
      failure(executeToolCall(reading, {}, { clock, vault: slow, timeout: 100 })),
    )
    expect(error).toMatchObject({ code: 'SECRETS_UNAVAILABLE' })
    expect(clock.now()).toBe(601_000)
    expect(clock.pending).toBe(0)
  })

  test.each([
    ['read', { read: () => Promise.reject(new Error('locked')) }, 'locked'],
    ['store', { store: () => Promise.reject(new Error('full')) }, 'full'],
    ['keep values', { store: async () => {} }, 'the vault did not return the secret KEY for deploy'],
  ])('a vault that cannot %s fails the call', async (_name, methods, message) => {
    const vault = { ...memoryVault(), ...methods } as Vault
    const error = await failure(executeToolCall(reading, {}, { vault, ask: () => ({ secret: canary }) }))
    expect(error.message).toBe(message)
  })

  test('requestSecret asks and stores; without a handler it is denied', async () => {
    const vault = memoryVault()
    const params = { key: 'SOME_KEY' }
    await executeToolCall(storeSecretTool, params, { vault, ask: () => ({ secret: canary }) })
    expect(vault.log).toEqual(['store SOME_KEY null'])
    const error = await failure(executeToolCall(storeSecretTool, params, { vault }))
    expect(error).toMatchObject({
      code: 'DENIED',
      message: 'nobody is available to enter the secret SOME_KEY',
    })
  })
})
