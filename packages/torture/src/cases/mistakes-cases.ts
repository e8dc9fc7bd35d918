import {
  expect,
  expectError,
  expectNextCallWorks,
  expectReadable,
  expectResultForEach,
  expectSuccess,
  expectValidConversation,
} from '../trial/expectations.ts'
import type { Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

/** A call that cannot run: the model reads why, the tool does not run, and the next call works. */
const isRejected =
  (name: string, params: unknown, parameters?: Readonly<Record<string, unknown>>) =>
  async (trial: Trial): Promise<void> => {
    const effect = { name: 'effect', ...(parameters && { parameters }) }
    const subject = await trial.open({ tools: [effect, 'quick'] })
    const { result } = await subject.call(name, params)
    expectError(result)
    expect(trial.files.readEvents('effect').length === 0, 'the tool ran')
    await expectNextCallWorks(subject)
  }

const named = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}

/** Arguments that are valid, and unusual: they arrive, and break nothing. */
const isHarmless =
  (params: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: ['quick'], limitMs: 5_000 })
    const { results, rejected } = await subject.start([['quick', params]]).settled()
    // A product may reject the whole response of its model, if the conversation goes on.
    if (!subject.isConversation) expect(rejected === null, `no result; the product rejected with ${rejected}`)
    if (rejected === null) {
      const [result] = results
      expectReadable(result)
      expect(result.length <= 2_000_000, `the model would read ${result.length} characters`)
    }
    await expectNextCallWorks(subject)
  }

export const mistakeCases: readonly TortureCase[] = defineGroup('mistakes', {
  'unknown-tool': {
    hurts: 'The user whose agent ends, because the model made up a tool.',
    needs: ['function'],
    run: isRejected('no-such-tool', {}),
  },
  'empty-name': {
    hurts: 'The user whose agent ends, because a call has no name.',
    needs: ['function'],
    run: isRejected('', {}),
  },
  'name-of-a-property-of-objects': {
    hurts: 'The user whose agent ends, because `constructor` was looked up in an object of tools.',
    needs: ['function'],
    run: isRejected('constructor', {}),
  },
  'name-is-proto': {
    hurts: 'The user whose agent ends, because `__proto__` was looked up in an object of tools.',
    needs: ['function'],
    run: isRejected('__proto__', {}),
  },
  'name-with-other-case': {
    hurts: 'The user whose tool with effects runs, because its name is similar to what the model wrote.',
    needs: ['function'],
    run: isRejected('EFFECT_', { name: 'a' }, named),
  },
  'broken-json': {
    hurts: 'The user of a model whose arguments are cut off.',
    issues: ['OpenHands#2887', 'vllm#43995', 'llama.cpp#25510'],
    needs: ['function'],
    run: isRejected('effect', '{"name": "a', named),
  },
  'two-json-objects': {
    hurts: 'The user of a local model that writes two objects as arguments.',
    needs: ['function'],
    run: isRejected('effect', '{"name": "a"}{"name": "b"}', named),
  },
  'arguments-are-a-list': {
    hurts: 'The tool that gets a list instead of an object.',
    needs: ['function'],
    run: isRejected('effect', '["a"]', named),
  },
  'arguments-are-null': {
    hurts: 'The tool that gets null instead of an object.',
    needs: ['function'],
    run: isRejected('effect', 'null', named),
  },
  'arguments-are-a-string': {
    hurts: 'The tool that gets a string instead of an object.',
    needs: ['function'],
    run: isRejected('effect', '"a"', named),
  },
  'wrong-type': {
    hurts: 'The tool that deletes the folder `42`.',
    needs: ['function'],
    run: isRejected('effect', { name: 42 }, named),
  },
  'missing-field': {
    hurts: 'The tool that deletes the folder `undefined`.',
    needs: ['function'],
    run: isRejected('effect', {}, named),
  },
  'empty-arguments': {
    hurts: 'The user of a model that sends no arguments at all.',
    needs: ['function'],
    run: isRejected('effect', '', named),
  },
  'unknown-field': {
    hurts: 'The user whose `dry_run` was misspelled, and the tool runs without it.',
    needs: ['function'],
    run: isRejected('effect', { name: 'a', dryrun: true }, named),
  },
  'error-names-the-field': {
    hurts: 'The model that is told that something is wrong, and repeats the same arguments.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: [{ name: 'effect', parameters: named }, 'quick'] })
      const { result } = await subject.call('effect', { name: { first: 'a' } })
      expectError(result, 'name')
    },
  },
  'error-names-the-tools': {
    hurts: 'The model that does not learn which tools exist, or whether its name was misspelled.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick', 'sleeps'] })
      const { result } = await subject.call('quik', { text: 'a' })
      expectError(result, /quick|sleeps/)
    },
  },
  'proto-in-arguments': {
    hurts: 'Everyone in the process: arguments change the prototype of all objects.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick', 'reads-prototype'] })
      await subject.call(
        'quick',
        '{"text": "a", "__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
      )
      const { result } = await subject.call('reads-prototype')
      expectSuccess(result, 'it is intact')
      await expectNextCallWorks(subject)
    },
  },
  'deep-arguments': {
    hurts: 'Everyone in the process: arguments with fifty thousand levels overflow the stack.',
    needs: ['function'],
    run: isHarmless(`{"text": "a", "more": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
  },
  'huge-arguments': {
    hurts: 'The user of a model that writes ten megabytes of arguments.',
    needs: ['function'],
    run: isHarmless(JSON.stringify({ text: 'x'.repeat(10_000_000) })),
  },
  'lone-surrogate-in-arguments': {
    hurts: 'The user whose every further request is rejected, because the arguments have half of an emoji.',
    issues: ['claude-code#68325'],
    needs: ['function'],
    run: isHarmless('{"text": "\\ud83d"}'),
  },
  'duplicate-keys': {
    hurts: 'The user who approved one value, and the tool gets another one of the same name.',
    needs: ['function', 'approval'],
    async run(trial) {
      const subject = await trial.open({ tools: [{ name: 'quick', needsApproval: true }], limitMs: 5_000 })
      const started = subject.start([['quick', '{"text": "a", "text": "b"}']])
      const { params, answer } = await subject.host.question(5_000)
      answer(true)
      const settled = await started.settled()
      expectResultForEach(started, settled)
      const [, used] = /quick: (\w+)/.exec(settled.results[0]!.text) ?? []
      // It may be rejected instead.
      if (used !== undefined && params !== null)
        expect(params.includes(`"${used}"`), `the user approved ${params}, and the tool got ${used}`)
    },
  },
  'pattern-bomb': {
    hurts: 'Everyone in the process: the pattern of a schema takes hours to match.',
    needs: ['function'],
    async run(trial) {
      const parameters = {
        type: 'object',
        properties: { text: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } },
      }
      const subject = await trial.open({ tools: [{ name: 'quick', parameters }, 'sleeps'], limitMs: 2_000 })
      const { result } = await subject.call('quick', { text: 'a'.repeat(40) })
      expectReadable(result)
      const next = await subject.call('sleeps', { ms: 10 })
      expectSuccess(next.result, 'slept')
    },
  },
  'two-hundred-calls': {
    hurts: 'The user whose model requests two hundred calls at once.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'], limitMs: 10_000 })
      const started = subject.start(
        Array.from({ length: 200 }, (_, index) => ['quick', { text: String(index) }] as const),
      )
      const settled = await started.settled(60_000)
      expectResultForEach(started, settled)
      expect(
        settled.results.every(({ text, isError }, index) => isError || text.includes(`quick: ${index}`)),
        'a call has the result of another one',
      )
      expectValidConversation(subject)
    },
  },
  'same-call-endlessly': {
    hurts: 'The user whose model repeats one call until the budget is gone.',
    issues: ['gemini-cli#3945'],
    needs: ['function', 'conversation'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'], limitMs: 5_000 })
      await loops(subject, () => ({ text: 'a' }))
    },
  },
  'a-b-a-b': {
    hurts: 'The user whose model alternates between two calls until the budget is gone.',
    issues: ['opencode#47759', 'gemini-cli#3945'],
    needs: ['function', 'conversation'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'], limitMs: 5_000 })
      await loops(subject, (index) => ({ text: index % 2 === 0 ? 'a' : 'b' }))
    },
  },
  'never-stops-calling': {
    hurts: 'The user whose model spends $200 in two minutes on calls that are all different.',
    issues: ['gemini-cli#3945'],
    needs: ['function', 'conversation'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'], limitMs: 5_000, maxCalls: 20 })
      await loops(subject, (index) => ({ text: `call ${index}` }))
    },
  },
  'endless-recursion': {
    hurts: 'The user of a tool that calls itself.',
    issues: ['opencode#11865'],
    needs: ['function', 'nesting'],
    async run(trial) {
      const subject = await trial.open({ tools: ['recurses', 'quick'], limitMs: 5_000 })
      const { result } = await subject.call('recurses', {}, 8_000)
      expectError(result)
      const depth = trial.files.readEvents('depth').length
      expect(depth <= 100, `it called itself ${depth} times`)
      await expectNextCallWorks(subject)
    },
  },
})

/** A model that never stops: the turn ends within a bounded number of requests, with an answer or a clear error. */
async function loops(
  subject: Awaited<ReturnType<Trial['open']>>,
  toParams: (index: number) => object,
): Promise<void> {
  const model = subject.model!
  const maxRequests = 200
  model.follow((request, index) => {
    if (index >= maxRequests) return [{ text: 'The suite has ended the loop.' }]
    return [
      {
        call: {
          id: `call_${index}`,
          name: model.offeredName(request, 'quick'),
          input: JSON.stringify(toParams(index)),
        },
      },
    ]
  })
  await subject.prompt('Use the tools.').settled(60_000)
  expectValidConversation(subject)
  expect(
    model.requests.length < maxRequests,
    `the model was asked ${model.requests.length} times, until the suite ended it`,
  )
}
