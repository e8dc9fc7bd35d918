import type { ModelSetup } from '../adapter/adapter.ts'
import { expect, expectValidConversation, until } from '../trial/expectations.ts'
import type { Subject } from '../trial/subject.ts'
import type { OpenOptions, Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const formats = ['openai', 'anthropic', 'google'] as const
const providers: Readonly<Record<ModelSetup['format'], string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
}

/** Continues in a new process, with another prompt; the provider must accept the conversation. */
async function resume(trial: Trial, options: OpenOptions): Promise<Subject> {
  const subject = await trial.open({ ...options, resume: true })
  const before = subject.model!.requests.length
  await subject.prompt('Go on.').settled(20_000)
  expect(subject.model!.requests.length > before, 'the model got no request after the restart')
  expectValidConversation(subject)
  return subject
}

function expectEffects({ files }: Trial, name: string, max: number): void {
  const times = files.readEvents('effect').filter(({ detail }) => detail === name).length
  expect(times <= max, `${name} was done ${times} times`)
}

/** The last request, as text. */
const lastRequest = ({ model }: Subject): string => JSON.stringify(model!.requests.at(-1)?.body)

const killedInCall =
  (format: ModelSetup['format']) =>
  async (trial: Trial): Promise<void> => {
    const options = { tools: ['slow-effect'], limitMs: 60_000, format }
    const subject = await trial.open(options)
    subject.startByModel([['slow-effect', { name: 'payment', ms: 30_000 }]])
    await until(() => trial.files.readEvents('effect').length > 0, 'the call did not start')
    await subject.host.kill()
    const resumed = await resume(trial, options)
    expectEffects(trial, 'payment', 1)
    expect(lastRequest(resumed).includes('payment'), 'the model does not learn that the call had started')
  }

/** At moments that differ between rounds, but not between runs of the suite. */
const moments = [20, 90, 160, 230, 300, 370]

export const crashCases: readonly TortureCase[] = defineGroup('crash', {
  ...Object.fromEntries(
    formats.map((format) => [
      `killed-in-a-call-${format}`,
      {
        hurts: `The user whose conversation is rejected by ${providers[format]} for ever, because a call has no result.`,
        issues: ['gemini-cli#17067'],
        needs: ['function', 'conversation', 'resume'],
        run: killedInCall(format),
      } as const,
    ]),
  ),
  'killed-before-the-next-request': {
    hurts: 'The user whose payment is made again, because its result was lost before the model read it.',
    issues: ['agent-framework#3938', 'crewAI#5802'],
    needs: ['function', 'conversation', 'resume'],
    async run(trial) {
      const options = { tools: ['effect'], limitMs: 5_000 }
      const subject = await trial.open(options)
      const model = subject.model!
      model.follow((request, index) =>
        index === 0
          ? [
              {
                call: {
                  id: 'call_1',
                  name: model.offeredName(request, 'effect'),
                  input: '{"name":"payment"}',
                },
              },
            ]
          : index === 1
            ? [{ stall: true }]
            : null,
      )
      subject.prompt('Use the tools.')
      await until(() => model.requests.length >= 2, 'the result was not sent to the model', 20_000)
      await subject.host.kill()
      const resumed = await resume(trial, options)
      expect(lastRequest(resumed).includes('did payment'), 'the result of the call was lost')
      expectEffects(trial, 'payment', 1)
    },
  },
  'killed-while-the-model-writes': {
    hurts: 'The user whose conversation ends with half a response, which cannot be continued.',
    needs: ['function', 'conversation', 'resume'],
    async run(trial) {
      const options = { tools: ['quick'], limitMs: 5_000 }
      const subject = await trial.open(options)
      subject.model!.follow((_, index) =>
        index === 0 ? [{ text: 'The first half of ' }, { stall: true }] : null,
      )
      subject.prompt('Use the tools.')
      await until(() => subject.model!.requests.length >= 1, 'the model got no request', 20_000)
      await pause(300)
      await subject.host.kill()
      await resume(trial, options)
    },
  },
  'killed-in-a-batch': {
    hurts: 'The user whose conversation has results for two of three calls.',
    needs: ['function', 'batch', 'conversation', 'resume'],
    async run(trial) {
      const options = { tools: ['effect', 'slow-effect'], limitMs: 60_000 }
      const subject = await trial.open(options)
      subject.startByModel([
        ['effect', { name: 'first' }],
        ['slow-effect', { name: 'second', ms: 30_000 }],
        ['effect', { name: 'third' }],
      ])
      await until(
        () => trial.files.readEvents('effect').some(({ detail }) => detail === 'second'),
        'the second call did not start',
      )
      await subject.host.kill()
      await resume(trial, options)
      for (const name of ['first', 'second', 'third']) expectEffects(trial, name, 1)
    },
  },
  'killed-at-any-moment': {
    hurts: 'The user whose conversation survives most crashes, but not all.',
    needs: ['function', 'conversation', 'resume'],
    async run(trial) {
      const options = { tools: ['slow-effect'], limitMs: 60_000 }
      let subject = await trial.open(options)
      const model = subject.model!
      model.follow((request) =>
        model.requests.length % 2 === 1
          ? [
              { text: 'A first step.' },
              {
                call: {
                  id: `call_${model.requests.length}`,
                  name: model.offeredName(request, 'slow-effect'),
                  input: JSON.stringify({ name: `step ${model.requests.length}`, ms: 100 }),
                },
              },
            ]
          : [{ text: 'Done.' }],
      )
      for (const ms of moments) {
        const before = model.requests.length
        subject.prompt('Use the tools.')
        await until(() => model.requests.length > before, 'the model got no request', 20_000)
        await pause(ms)
        await subject.host.kill()
        subject = await trial.open({ ...options, resume: true })
      }
      await subject.prompt('Go on.').settled(20_000)
      expectValidConversation(subject)
      const names = trial.files.readEvents('effect').map(({ detail }) => String(detail))
      expect(new Set(names).size === names.length, `a call ran twice: ${names.join(', ')}`)
    },
  },
  'running-calls-are-listed': {
    hurts: 'The operator who has to find out which calls ran when the machine went down.',
    needs: ['function', 'list'],
    async run(trial) {
      const options = { tools: ['effect', 'slow-effect'], limitMs: 60_000 }
      const subject = await trial.open(options)
      await subject.call('effect', { name: 'first' })
      subject.start([['slow-effect', { name: 'second', ms: 30_000 }]])
      await until(() => trial.files.readEvents('effect').length >= 2, 'the second call did not start')
      // What is recorded may be up to a second old.
      await pause(1_000)
      await subject.host.kill()
      const { host } = await trial.open({ ...options, resume: true })
      const calls = await host.list()
      const ended = calls.find(({ name }) => /(?<!slow-)effect$/.test(name))?.status ?? 'missing'
      expect(ended === 'success', `the call that had succeeded is listed as ${ended}`)
      const lost = calls.find(({ name }) => name.endsWith('slow-effect'))?.status ?? 'missing'
      expect(lost === 'lost', `the call that was running is listed as ${lost}`)
    },
  },
  'waiting-calls-are-not-lost-while-running': {
    hurts: 'The operator who is told that a call may have run, although it was waiting for an answer.',
    needs: ['function', 'approval', 'list'],
    async run(trial) {
      const options = { tools: [{ name: 'effect', needsApproval: true }], limitMs: 60_000 }
      const subject = await trial.open(options)
      subject.start([['effect', { name: 'asked' }]])
      await subject.host.question(5_000)
      await pause(1_000)
      await subject.host.kill()
      const { host } = await trial.open({ ...options, resume: true })
      const calls = await host.list()
      const status = calls.find(({ name }) => name.endsWith('effect'))?.status ?? 'missing'
      expect(status === 'waiting' || status === 'cancelled', `the call is listed as ${status}`)
      expectEffects(trial, 'asked', 0)
    },
  },
  'starts-again-after-a-crash': {
    hurts:
      'The user whose agent does not start again, because of a lock or a socket that a killed process left.',
    needs: ['function'],
    async run(trial) {
      const options = { tools: ['never', 'quick'], limitMs: 60_000 }
      const subject = await trial.open(options)
      subject.start([['never']])
      await until(() => trial.files.readEvents('started').length > 0, 'the call did not start')
      await subject.host.kill()
      const second = await trial.open(options)
      const { result } = await second.call('quick', { text: 'after' }, 10_000)
      expect(
        result.text.includes('quick: after'),
        `expected the result of the call, got ${result.text.slice(0, 100)}`,
      )
    },
  },
  'starts-without-a-temporary-folder': {
    hurts: 'The user whose disk was cleaned up while the agent ran.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-text', 'quick'], limitMs: 10_000 })
      await subject.call('quick')
      trial.files.removeTemporary()
      const { result } = await subject.call('returns-text', { bytes: 3_000_000 })
      expect(result.problem === null, String(result.problem))
      const next = await subject.call('quick', { text: 'after' })
      expect(
        next.result.text.includes('quick: after'),
        `expected the result of the call, got ${next.result.text.slice(0, 100)}`,
      )
    },
  },
})
