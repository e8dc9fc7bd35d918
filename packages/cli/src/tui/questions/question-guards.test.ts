import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { approval, input, type PanelSetup, secret, secretUse, setUpPanel } from '../../../test/panel-setup.ts'

const keys = ['y', 't', 'a', 'n', 's', '1', '2', '3', '4', '5', 'x', ' ', 'return', 'upArrow', 'downArrow']
const moreKeys = [
  ...keys,
  'tab',
  'shift+tab',
  'escape',
  'backspace',
  'ctrl+o',
  'ctrl+u',
  'pageDown',
  'yy',
  'y\r',
]

describe('a question that appears on its own', () => {
  test('takes the focus if nobody is typing, but no key answers it for 500 ms', async () => {
    const { open, press, clock, answers, panel } = setUpPanel()
    open(approval(1))
    expect(panel.getSnapshot()).toMatchObject({ focus: 'question', isReady: false })
    await clock.advance(499)
    expect(press('return')).toEqual([true])
    expect(answers).toEqual([])
    await clock.advance(399)
    expect(panel.getSnapshot()?.isReady).toBe(false)
    await clock.advance(1)
    expect(panel.getSnapshot()?.isReady).toBe(true)
    press('y')
    expect(answers).toEqual([[1, 'once']])
  })

  test('what is typed too early goes to the draft, which keeps the keys until Tab', async () => {
    const { open, press, clock, answers, panel, draft } = setUpPanel()
    open(approval(1))
    await clock.advance(300)
    expect(press('y')).toEqual([false])
    await clock.advance(5_000)
    expect(press('e', 's')).toEqual([false, false])
    expect([draft.text, answers, panel.getSnapshot()?.focus]).toEqual(['yes', [], 'draft'])
    press('tab')
    await clock.advance(300)
    press('y')
    expect(answers).toEqual([[1, 'once']])
  })

  test('does not count as seen before it is on the screen, nor while something else is', async () => {
    const { open, press, clock, answers, panel } = setUpPanel()
    open(approval(1))
    await clock.advance(1_000)
    panel.setVisible(1, false)
    await clock.advance(60_000)
    expect(press('y', 'return', 'tab')).toEqual([false, false, false])
    panel.setVisible(1, true)
    await clock.advance(499)
    press('return')
    expect(answers).toEqual([])
    await clock.advance(500)
    press('y')
    expect(answers).toEqual([[1, 'once']])
  })

  test.each([
    ['the draft is not empty', ['h', 'i'], 60_000],
    ['a key was pressed within a second', ['h', 'backspace'], 900],
  ])('leaves the keys to the draft if %s', async (_why, typed, pauseMs) => {
    const { open, press, clock, answers, panel, draft } = setUpPanel()
    press(...typed)
    if (typed.includes('backspace')) draft.text = ''
    await clock.advance(pauseMs)
    open(approval(1))
    expect(panel.getSnapshot()).toMatchObject({ focus: 'draft', isReady: false })
    await clock.advance(60_000)
    expect(press('y', 'a', 'return', 'escape', 'shift+tab')).toEqual(Array(5).fill(false))
    expect(answers).toEqual([])
  })

  test('takes the focus after a message was sent', async () => {
    const { open, press, clock, panel, draft } = setUpPanel()
    press('h', 'i', 'return')
    draft.text = ''
    await clock.advance(100)
    open(approval(1))
    expect(panel.getSnapshot()?.focus).toBe('question')
  })

  test('Tab focuses it, and Tab, Shift+Tab and Escape lead back to the draft', async () => {
    const { open, press, clock, answers, panel, draft } = setUpPanel()
    press('h')
    open(approval(1))
    // A Tab this early was meant for the draft.
    await clock.advance(400)
    expect(press('tab')).toEqual([false])
    await clock.advance(200)
    for (const back of ['tab', 'shift+tab', 'escape']) {
      expect(press('tab')).toEqual([true])
      expect(panel.getSnapshot()?.focus).toBe('question')
      await clock.advance(1_000)
      expect(press(back)).toEqual([true])
      expect(panel.getSnapshot()?.focus).toBe('draft')
    }
    // Who continues to type after Tab meant the draft.
    press('tab')
    await clock.advance(100)
    expect(press('y')).toEqual([false])
    expect([draft.text, answers, panel.getSnapshot()?.focus]).toEqual(['hy', [], 'draft'])
  })

  test('an unknown character begins a draft', async () => {
    const { open, press, ready, answers, draft } = setUpPanel()
    open(approval(1))
    await ready()
    expect(press('w', 'a', 'i', 't', ' ', 'y')).toEqual(Array(6).fill(false))
    expect([draft.text, answers]).toEqual(['wait y', []])
  })

  test('a paste never answers; several characters at once do not either', async () => {
    const { open, press, paste, ready, answers, draft } = setUpPanel()
    open(approval(1))
    await ready()
    expect(paste('y')).toBe(false)
    press('tab')
    await ready()
    expect(press('y\r')).toEqual([false])
    expect([draft.text, answers]).toEqual(['yy\r', []])
  })

  test('a secret that is typed too early does not appear in the draft', async () => {
    const { open, press, clock, answers, draft } = setUpPanel()
    open(secret(1))
    expect(press('s', '3', 'cr3t', 'return')).toEqual([true, true, true, true])
    expect([answers, draft.text]).toEqual([[], ''])
    await clock.advance(1_000)
    press('return')
    expect(answers).toEqual([[1, { secret: 's3cr3t' }]])
  })

  test('a secret that is pasted too early does not appear in the draft', async () => {
    const { open, press, paste, ready, answers, draft } = setUpPanel()
    open(secret(1))
    expect(paste('s3cr3t')).toBe(true)
    press('return')
    expect([draft.text, answers]).toEqual(['', []])
    await ready()
    press('return')
    await ready()
    expect(answers).toEqual([[1, { secret: 's3cr3t' }]])
  })
})

describe('the next question', () => {
  test('is not answered by a key that is pressed twice', async () => {
    const { open, press, clock, answers, draft, panel } = setUpPanel()
    open(approval(1), approval(2))
    await clock.advance(1_000)
    expect(press('y', 'y')).toEqual([true, true])
    await clock.advance(250)
    expect(press('y', 'n', '1')).toEqual([true, true, true])
    await clock.advance(299)
    expect([answers, draft.text, panel.getSnapshot()?.isReady]).toEqual([[[1, 'once']], '', false])
    await clock.advance(1)
    press('s')
    expect(answers).toEqual([
      [1, 'once'],
      [2, 'stop'],
    ])
  })

  test('what is typed instead goes to the draft', async () => {
    const { open, press, clock, draft, panel } = setUpPanel()
    open(approval(1), approval(2))
    await clock.advance(1_000)
    expect(press('y', 'o', 'k')).toEqual([true, false, false])
    expect([draft.text, panel.getSnapshot()?.focus]).toEqual(['ok', 'draft'])
  })

  test('"always" is not confirmed by the key that chose it', async () => {
    const { open, press, clock, answers, panel } = setUpPanel()
    open(approval(1))
    await clock.advance(1_000)
    press('downArrow', 'downArrow', 'return', 'return')
    await clock.advance(290)
    press('return')
    await clock.advance(200)
    press('return')
    await clock.advance(1_000)
    expect([panel.getSnapshot()?.form.kind, answers]).toEqual(['rule', []])
    press('return')
    await clock.advance(200)
    expect(answers).toEqual([[1, { answer: 'always', rule: 'run(npm test)' }]])
  })

  test('"always" is not confirmed before it could be read', async () => {
    const { open, press, clock, answers } = setUpPanel()
    open(approval(1))
    await clock.advance(1_000)
    press('a')
    await clock.advance(499)
    press('return')
    expect(answers).toEqual([])
    await clock.advance(1)
    press('return')
    await clock.advance(200)
    expect(answers).toEqual([[1, { answer: 'always', rule: 'run(npm test)' }]])
  })
})

const question = fc.constantFrom(approval, input, secret, secretUse, (id: number) => input(id, ['a', 'b']))

test('property: whatever is pressed while a question appears, nothing answers it', async () => {
  const step = fc.record({ key: fc.constantFrom(...moreKeys), waitMs: fc.integer({ min: 0, max: 399 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      question,
      fc.boolean(),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      async (before, kind, isDrafted, after) => {
        const setup = setUpPanel()
        await play(setup, before)
        setup.draft.text = isDrafted ? 'draft' : ''
        setup.open(kind(1), approval(2))
        // Without a pause of 400 ms, the guard never ends. Tab may focus the question, and then it needs one of 250 ms.
        const early = after.map(({ key, waitMs }) => ({ key, waitMs: waitMs % 250 }))
        await play(setup, early)
        expect(setup.answers).toEqual([])
        setup.panel.dispose()
        expect(setup.clock.pending).toBe(0)
      },
    ),
    { numRuns: 300 },
  )
})

test('property: a key that is held down answers at most one question', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...keys),
      fc.integer({ min: 150, max: 1_900 }),
      fc.integer({ min: 15, max: 140 }),
      fc.boolean(),
      async (key, delayMs, intervalMs, isFromBefore) => {
        const setup = setUpPanel()
        if (isFromBefore) setup.press(key)
        setup.draft.text = ''
        setup.open(approval(1), approval(2), approval(3))
        if (!isFromBefore) {
          await setup.clock.advance(2_000)
          setup.press(key)
        }
        await setup.clock.advance(delayMs)
        await play(setup, Array(40).fill({ key, waitMs: intervalMs }))
        await setup.clock.advance(5_000)
        expect(setup.answers.length).toBeLessThanOrEqual(isFromBefore ? 0 : 1)
        setup.panel.dispose()
      },
    ),
    { numRuns: 300 },
  )
})

async function play(
  { press, clock }: PanelSetup,
  steps: readonly { readonly key: string; readonly waitMs: number }[],
): Promise<void> {
  for (const { key, waitMs } of steps) {
    press(key)
    await clock.advance(waitMs)
  }
}
