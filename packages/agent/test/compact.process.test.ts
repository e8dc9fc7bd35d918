import { describe, expect, test } from 'vitest'
import { endOf } from './support/agent-setup.ts'
import { setUp } from './support/context-setup.ts'

describe('compact', () => {
  const turns = async ({ send }: ReturnType<typeof setUp>, count: number) => {
    for (let turn = 1; turn <= count; turn++) await send(`Turn ${turn}.`)
  }

  test('replaces old messages by a summary, with instructions of the person', async () => {
    const set = setUp((request) => ({ text: request === 3 ? 'The summary.' : `Answer ${request + 1}.` }))
    await turns(set, 3)
    const before = set.items()
    expect(await set.agent.compact('keep the names')).toMatchObject({
      kind: 'context',
      removedItems: 4,
      isSummarized: true,
    })
    expect(JSON.stringify(set.model.requests[3]!.prompt.at(-1))).toContain('The person adds: keep the names')
    expect(set.items()).toMatchObject([
      { source: 'summary', parts: [{ text: expect.stringContaining('The summary.') }] },
      { source: 'person', parts: [{ text: 'Turn 3.' }] },
      { type: 'assistant' },
    ])
    expect(set.items().slice(1)).toEqual(before.slice(4))
    expect(set.items()[1]).toBe(before[4])
    expect(set.agent.getSnapshot().streamingState).toBe('idle')
    expect(endOf(await set.send('Go on.'))).toBe('answer')
    expect(set.agent.usage().requests).toBe(5)
  })

  test('resolves to null if there is nothing to summarize', async () => {
    const set = setUp([{ text: 'Hi.' }])
    expect(await set.agent.compact()).toBeNull()
    await turns(set, 1)
    expect(await set.agent.compact()).toBeNull()
    expect(set.model.requests).toHaveLength(1)
  })

  test('is rejected while a turn runs, and a prompt that is sent meanwhile waits for it', async () => {
    const set = setUp((request) =>
      request === 2 ? { text: 'So', stall: true } : { text: `Answer ${request + 1}.` },
    )
    await turns(set, 2)
    const running = set.send('Turn 3.')
    await expect(set.agent.compact()).rejects.toThrow('compact: a turn is running')
    await expect.poll(() => set.model.requests.length).toBe(3)
    set.agent.cancel()
    await running
    const compacting = set.agent.compact()
    const next = set.send('Turn 4.')
    expect(set.agent.getSnapshot()).toMatchObject({ streamingState: 'responding', queued: ['Turn 4.'] })
    expect(await compacting).toMatchObject({ isSummarized: true })
    expect(endOf(await next)).toBe('answer')
    expect(set.items()[0]).toMatchObject({ source: 'summary' })
  })

  test('rejects if the model fails or the person cancels, and changes nothing', async () => {
    const set = setUp(
      (request) =>
        request === 3
          ? { error: new Error('broken') }
          : request === 4 || request === 5
            ? { text: 'So', stall: true }
            : { text: 'Answer.' },
      { limits: { model: { maxAttempts: 1 } } },
    )
    await turns(set, 3)
    const before = set.items()
    await expect(set.agent.compact()).rejects.toMatchObject({ name: 'ModelError' })
    const controller = new AbortController()
    const aborted = set.agent.compact('', { signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ kind: 'aborted' })
    const cancelled = set.agent.compact()
    set.agent.cancel()
    await expect(cancelled).rejects.toMatchObject({ kind: 'aborted' })
    expect(set.items()).toEqual(before)
    await set.agent.close()
    await expect(set.agent.compact()).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
  })

  test('rejects if the budget is used up', async () => {
    const set = setUp(() => ({ text: 'Answer.' }), { budget: { conversation: { tokens: 200 } } })
    await turns(set, 3)
    await expect(set.agent.compact()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})
