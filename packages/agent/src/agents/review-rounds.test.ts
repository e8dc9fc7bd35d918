import { expect, test } from 'vitest'
import { mergeOpinions } from './merge-opinions.ts'
import { readOpinion } from './review-opinion.ts'
import { type Reviewer, runReviewRounds } from './review-rounds.ts'

const approve = '{"verdict": "approve", "findings": []}'
const finding = { severity: 'high', title: 'Off by one', location: 'a.ts:3', details: 'Use <.' }
const revise = JSON.stringify({ verdict: 'revise', findings: [finding] })

/** A reviewer that gives these answers in order; an error is a failure. */
function reviewer(
  name: string,
  ...answers: (string | Error)[]
): Reviewer & { readonly prompts: string[]; readonly limits: number[] } {
  const prompts: string[] = []
  const limits: number[] = []
  return {
    name,
    prompts,
    limits,
    async review(prompt, limitMs) {
      const answer = answers[prompts.length]
      prompts.push(prompt)
      limits.push(limitMs)
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer')
      return answer
    },
  }
}

const run = (maxRounds: number, ...reviewers: Reviewer[]) =>
  runReviewRounds({
    subject: 'The diff.',
    reviewers,
    maxRounds,
    signal: { throwIfAborted: () => {} },
    remainingMs: () => 60_000,
    onRound: () => {},
  })

test('ends early if all agree', async () => {
  const done = await run(3, reviewer('a', approve), reviewer('b', approve))
  expect(done).toMatchObject({ rounds: 1, agreed: true, failures: [] })
})

test('in the next round, each sees what the others found', async () => {
  const [a, b] = [reviewer('a', approve, revise), reviewer('b', revise, revise)]
  const done = await run(3, a, b)
  expect(done).toMatchObject({ rounds: 2, agreed: true })
  expect(a.prompts[0]).not.toContain('Off by one')
  expect(a.prompts[1]).toContain('b: revise\n- [high] Off by one (a.ts:3)')
  expect(a.prompts[1]).toContain('Your review in the last round:\na: approve')
  expect(mergeOpinions(done.opinions)).toMatchObject({
    verdict: 'revise',
    votes: { approve: 0, revise: 2 },
    findings: [{ ...finding, reviewers: ['a', 'b'] }],
  })
})

test('the time is split between the rounds that are left', async () => {
  const a = reviewer('a', approve, approve, approve)
  await run(3, a, reviewer('b', revise, revise, revise))
  expect(a.limits.map(Math.round)).toEqual([20_000, 30_000, 60_000])
})

test('one that fails does not sink the rest; its last opinion counts', async () => {
  const [a, b, c] = [
    reviewer('a', approve, approve),
    reviewer('b', revise, new Error('hangs')),
    reviewer('c', new Error('is not installed')),
  ]
  const done = await run(2, a, b, c)
  expect(done.failures).toEqual([
    { reviewer: 'c', round: 1, message: 'is not installed' },
    { reviewer: 'b', round: 2, message: 'hangs' },
  ])
  expect(done.opinions.map(({ reviewer, verdict }) => [reviewer, verdict])).toEqual([
    ['a', 'approve'],
    ['b', 'revise'],
  ])
  // A tie is the stricter verdict.
  expect(mergeOpinions(done.opinions).verdict).toBe('revise')
})

test('a single opinion needs no further round', async () => {
  const done = await run(3, reviewer('a', revise), reviewer('b', new Error('x')))
  expect(done).toMatchObject({ rounds: 1, agreed: true })
})

test.each([
  ['plain', approve, 'approve', 0],
  ['in a code fence', `Fine {really}.\n\`\`\`json\n${revise}\n\`\`\`\nThat is all.`, 'revise', 1],
  ['after text with braces', `function f() { return {} }\n${revise}`, 'revise', 1],
  ['another word', '{"verdict": "Request changes"}', 'revise', 0],
  ['no JSON', 'Looks good to me.', null, 1],
  ['broken JSON', '{"verdict": "approve"', null, 1],
  ['wrong types', '{"verdict": 7, "findings": [3, null, {"title": 4}]}', null, 1],
])('an answer: %s', (_, answer, verdict, findings) => {
  const opinion = readOpinion('a', answer)
  expect([opinion.verdict, opinion.findings.length]).toEqual([verdict, findings])
})
