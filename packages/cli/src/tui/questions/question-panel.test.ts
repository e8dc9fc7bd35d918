import { describe, expect, test } from 'vitest'
import { approval, input, secret, secretUse, setUpPanel } from '../../../test/panel-setup.ts'

describe('approvals', () => {
  test.each([
    [['y'], 'once'],
    [['1'], 'once'],
    [['return'], 'once'],
    [['s'], 'stop'],
    [['5'], 'stop'],
    [
      ['downArrow', 'downArrow', 'downArrow', 'downArrow', 'downArrow', 'upArrow', 'downArrow', 'return'],
      'stop',
    ],
  ])('%j answers %s', async (keys, answer) => {
    const { open, press, ready, answers } = setUpPanel()
    open(approval(1))
    await ready()
    expect(press(...keys)).toEqual(keys.map(() => true))
    expect(answers).toEqual([[1, answer]])
  })

  test('no: with the reason that is typed, or without one', async () => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(approval(1), approval(2))
    await ready()
    press('n')
    expect(panel.getSnapshot()?.form.kind).toBe('reason')
    await ready()
    press('return')
    await ready()
    press('4')
    await ready()
    press('n', 'o', 't', ' ', 'n', 'o', 'w', '!', 'backspace', 'return')
    expect(answers).toEqual([
      [1, 'no'],
      [2, { answer: 'no', reason: 'not now' }],
    ])
  })

  test('always: the rule is shown as it will be stored, and confirmed with Enter', async () => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(approval(1))
    await ready()
    press('a')
    expect(panel.getSnapshot()?.form).toEqual({
      kind: 'rule',
      answer: 'always',
      line: { text: 'run(npm test)', cursor: 13 },
      check: { meaning: 'exactly this command', problem: '' },
    })
    expect(answers).toEqual([])
    await ready()
    press('return')
    expect(answers).toEqual([[1, { answer: 'always', rule: 'run(npm test)' }]])
  })

  test('always: the rule can be edited as long as it matches the call', async () => {
    const { open, press, paste, ready, answers, panel } = setUpPanel()
    open(approval(1))
    await ready()
    press('a')
    const check = () => {
      const form = panel.getSnapshot()?.form
      return form?.kind === 'rule' ? form.check : null
    }
    await ready()
    press('ctrl+u')
    expect(check()).toMatchObject({ problem: expect.stringContaining('This is not a rule') })
    press('return')
    paste('other(npm *)\n')
    expect(check()).toEqual({
      meaning: 'every command of other that matches npm *, where * stands for anything',
      problem: 'This rule does not match the call that is asked about.',
    })
    press('return', 'ctrl+u')
    paste('run(npm *)')
    expect(check()?.problem).toBe('')
    expect(answers).toEqual([])
    press('return')
    expect(answers).toEqual([[1, { answer: 'always', rule: 'run(npm *)' }]])
  })

  test('turn: shows that the whole tool is allowed', async () => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(approval(1))
    await ready()
    press('t')
    expect(panel.getSnapshot()?.form).toMatchObject({
      answer: 'turn',
      line: { text: 'run' },
      check: { meaning: 'every call of run, with any arguments' },
    })
    await ready()
    press('return')
    expect(answers).toEqual([[1, { answer: 'turn', rule: 'run' }]])
  })

  test('a restriction: neither turn nor always', async () => {
    const { open, press, ready, answers, panel, draft } = setUpPanel()
    open(approval(1, { restriction: 'it is protected', canRemember: false }))
    await ready()
    const form = panel.getSnapshot()?.form
    expect(form?.kind === 'menu' && form.entries.map(({ letter }) => letter)).toEqual(['y', 'n', 's'])
    expect(press('a')).toEqual([false])
    expect([answers, draft.text]).toEqual([[], 'a'])
  })

  test('an answer that would not be remembered is not offered as "always"', () => {
    const { open, panel } = setUpPanel()
    open(approval(1, { canRemember: false }))
    const form = panel.getSnapshot()?.form
    expect(form?.kind === 'menu' && form.entries.map(({ letter }) => letter)).toEqual(['y', 't', 'n', 's'])
  })

  test('Escape closes what is open, and is otherwise for the app, but not when it is pressed twice', async () => {
    const { open, press, ready, answers, panel, clock } = setUpPanel()
    open(approval(1))
    await ready()
    expect(press('escape')).toEqual([false])
    press('a')
    expect(press('escape', 'escape', 'escape')).toEqual([true, true, true])
    expect(panel.getSnapshot()?.form).toMatchObject({ kind: 'menu', selected: 2 })
    await clock.advance(800)
    expect(press('escape')).toEqual([false])
    expect(answers).toEqual([])
  })

  test("Ctrl-C and Ctrl-Z, and the app's other keys, are not for the panel", async () => {
    const { open, press, ready } = setUpPanel()
    open(approval(1))
    await ready()
    expect(press('ctrl+c', 'ctrl+z', 'ctrl+t', 'meta+x', 'release+y')).toEqual(Array(5).fill(false))
    press('n')
    expect(press('ctrl+c', 'ctrl+z', 'ctrl+t')).toEqual([false, false, false])
  })

  test('Ctrl-O shows everything; pages can be turned', async () => {
    const { open, press, ready, panel } = setUpPanel()
    open(approval(1))
    await ready()
    panel.setPage({ rows: 10, maxFirstLine: 12, isComplete: false })
    const first = () => [panel.getSnapshot()?.isExpanded, panel.getSnapshot()?.firstLine]
    press('pageDown')
    expect(first()).toEqual([true, 0])
    press('pageDown', 'pageDown', 'pageDown')
    expect(first()).toEqual([true, 12])
    press('pageUp')
    expect(first()).toEqual([true, 3])
    press('ctrl+o')
    expect(first()).toEqual([false, 0])
  })
})

describe('hidden parts', () => {
  test.each([['y'], ['return'], ['1']])('%s shows them instead of allowing the call', async (key) => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(approval(1))
    await ready()
    panel.setPage({ rows: 10, maxFirstLine: 12, isComplete: false })
    expect(press(key)).toEqual([true])
    expect(panel.getSnapshot()).toMatchObject({ isExpanded: true, mustRead: true, form: { kind: 'menu' } })
    // Not with the same press, or before anything could be read.
    press(`repeat+${key}`, key)
    expect(answers).toEqual([])
    await ready()
    press(key)
    expect(answers).toEqual([[1, 'once']])
  })

  test.each([
    ['a choice', input(1, ['Approve', 'No']), [], { text: 'Approve' }],
    ['a text', input(1, null), ['x'], { text: 'x' }],
    ['a secret', secret(1), [...'long-enough-value'], { secret: 'long-enough-value' }],
    ['the use of a secret', secretUse(1), [], 'always'],
  ])('%s is not sent before they are shown, and is kept', async (_, question, keys, answer) => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(question)
    await ready()
    panel.setPage({ rows: 10, maxFirstLine: 12, isComplete: false })
    press(...keys, 'return')
    expect(panel.getSnapshot()).toMatchObject({ isExpanded: true, mustRead: true })
    expect(answers).toEqual([])
    await ready()
    press('return')
    await ready()
    expect(answers).toEqual([[1, answer]])
  })

  test('a rule is not added before they are shown', async () => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(approval(1))
    await ready()
    panel.setPage({ rows: 10, maxFirstLine: 12, isComplete: false })
    press('a')
    await ready()
    press('return')
    expect(panel.getSnapshot()).toMatchObject({ isExpanded: true, mustRead: true, form: { kind: 'rule' } })
    await ready()
    press('return')
    await ready()
    expect(answers).toEqual([[1, { answer: 'always', rule: 'run(npm test)' }]])
  })

  test('a call can be denied without them, and allowed once they were shown', async () => {
    const { open, press, ready, answers, panel } = setUpPanel()
    open(approval(1), approval(2), approval(3))
    const hide = (): void => panel.setPage({ rows: 10, maxFirstLine: 12, isComplete: false })
    await ready()
    hide()
    press('s')
    await ready()
    hide()
    press('n')
    await ready()
    press('return')
    await ready()
    hide()
    press('ctrl+o', 'ctrl+o')
    await ready()
    press('y')
    expect(answers).toEqual([
      [1, 'stop'],
      [2, 'no'],
      [3, 'once'],
    ])
  })
})

describe('other questions', () => {
  test('choices: with arrows, or by number', async () => {
    const { open, press, ready, answers } = setUpPanel()
    open(input(1, ['main', 'next']), input(2, ['main', 'next']))
    await ready()
    press('downArrow', 'return')
    await ready()
    press('1')
    expect(answers).toEqual([
      [1, { text: 'next' }],
      [2, { text: 'main' }],
    ])
  })

  test('many choices: numbers select, Enter chooses', async () => {
    const { open, press, ready, answers } = setUpPanel()
    const choices = Array.from({ length: 20 }, (_, index) => `choice ${index + 1}`)
    open(input(1, choices), input(2, choices))
    await ready()
    press('1', '9', 'return')
    await ready()
    // Typed so fast that they arrive together; then a third digit begins a new number.
    press('17', '4', 'return')
    expect(answers).toEqual([
      [1, { text: 'choice 19' }],
      [2, { text: 'choice 4' }],
    ])
  })

  test('free text, also with what arrives at once; an empty answer needs a second Enter', async () => {
    const { open, press, paste, ready, answers } = setUpPanel()
    open(input(1), input(2), input(3))
    await ready()
    press('v', '1')
    paste(' \u001b[2Jof\r\nnext')
    press('return')
    await ready()
    press('fast\r')
    await ready()
    press('return', 'return')
    await ready()
    press('return')
    // It could be the first repetition of a key that is held down.
    await ready()
    expect(answers).toEqual([
      [1, { text: 'v1 [2Jof\nnext' }],
      [2, { text: 'fast' }],
      [3, { text: '' }],
    ])
  })

  test('the use of a secret: always or no', async () => {
    const { open, press, ready, answers } = setUpPanel()
    open(secretUse(1), secretUse(2))
    await ready()
    press('y')
    await ready()
    press('n')
    expect(answers).toEqual([
      [1, 'always'],
      [2, 'no'],
    ])
  })

  test('a secret is typed or pasted, and is in no snapshot', async () => {
    const { open, press, paste, ready, answers, panel } = setUpPanel()
    const snapshots: unknown[] = []
    panel.subscribe(() => snapshots.push(panel.getSnapshot()))
    open(secret(1))
    await ready()
    press('x', 'ctrl+u', 'S', '3', 'return')
    expect(panel.getSnapshot()?.form).toEqual({
      kind: 'secret',
      dots: 2,
      problem: 'Enter at least 4 characters, or press Esc to decline.',
    })
    press('y', 'backspace')
    paste('cr3t-value-that-is-longer-than-the-dots\r\n')
    expect(panel.getSnapshot()?.form).toEqual({ kind: 'secret', dots: 20, problem: '' })
    await ready()
    press('return')
    expect(answers).toEqual([[1, { secret: 'S3cr3t-value-that-is-longer-than-the-dots' }]])
    expect(JSON.stringify(snapshots)).not.toContain('cr3t')
    expect(panel.getSnapshot()).toBeNull()
  })

  test('Escape declines a secret, and does not also cancel the turn', async () => {
    const { open, press, ready, answers } = setUpPanel()
    open(secret(1), approval(2))
    await ready()
    press('s', 'e', 'c', 'r', 'e', 't')
    expect(press('escape', 'escape', 'escape')).toEqual([true, true, true])
    expect(answers).toEqual([[1, 'no']])
  })
})

describe('order', () => {
  test('questions are numbered, and the numbers stay sensible as others open and close', async () => {
    const { open, close, press, ready, panel } = setUpPanel()
    const number = () => {
      const snapshot = panel.getSnapshot()
      return snapshot === null ? null : [snapshot.question.id, `${snapshot.position} of ${snapshot.total}`]
    }
    open(approval(1))
    expect(number()).toEqual([1, '1 of 1'])
    open(approval(2), approval(3))
    expect(number()).toEqual([1, '1 of 3'])
    await ready()
    press('y')
    expect(number()).toEqual([2, '2 of 3'])
    open(approval(4))
    expect(number()).toEqual([2, '2 of 4'])
    close(3)
    expect(number()).toEqual([2, '2 of 3'])
    close(2)
    expect(number()).toEqual([4, '3 of 3'])
    close(4)
    expect(number()).toBeNull()
    open(approval(5), approval(6))
    expect(number()).toEqual([5, '1 of 2'])
  })

  test('a snapshot stays the same object while nothing changes', async () => {
    const { open, press, ready, panel } = setUpPanel()
    open(approval(1))
    await ready()
    let changes = 0
    panel.subscribe(() => changes++)
    const before = panel.getSnapshot()
    press('leftArrow', 'ctrl+t', 'upArrow', 'home')
    open(...[])
    expect([panel.getSnapshot() === before, changes]).toEqual([true, 0])
  })

  test('the last minute is counted down', async () => {
    const { open, clock, panel } = setUpPanel({ approvalTimeoutMs: 90_000 })
    open(approval(1))
    await clock.advance(29_900)
    expect(panel.getSnapshot()?.secondsLeft).toBeNull()
    await clock.advance(100)
    expect(panel.getSnapshot()?.secondsLeft).toBe(60)
    await clock.advance(20_500)
    expect(panel.getSnapshot()?.secondsLeft).toBe(40)
    await clock.advance(60_000)
    expect(panel.getSnapshot()?.secondsLeft).toBe(0)
  })

  test('nothing is left after dispose', async () => {
    const { open, press, clock, panel, answers } = setUpPanel({ approvalTimeoutMs: 30_000 })
    open(approval(1), approval(2))
    await clock.advance(10_000)
    press('y')
    panel.dispose()
    expect(clock.pending).toBe(0)
    expect([press('y'), panel.getSnapshot()]).toEqual([[false], null])
    expect(answers.length).toBe(1)
  })
})

describe('a question that is closed by someone else', () => {
  test('disappears, and a reason or an answer that was being typed becomes the draft', async () => {
    const { open, close, press, ready, answers, panel, draft } = setUpPanel()
    open(approval(1), approval(2))
    await ready()
    press('n', 't', 'o', 'o')
    close(1)
    expect(draft.text).toBe('too')
    expect(panel.getSnapshot()).toMatchObject({ question: { id: 2 }, focus: 'draft' })
    press(' ', 's', 'l', 'o', 'w')
    expect([draft.text, answers]).toEqual(['too slow', []])
  })

  test('the rest of a secret does not go to the draft', async () => {
    const { open, close, press, paste, ready, answers, draft, notices, clock } = setUpPanel()
    open(secret(1), approval(2))
    await ready()
    press('s', '3')
    close(1)
    expect(press('c', 'r', '3', 't')).toEqual([true, true, true, true])
    expect(paste('more')).toBe(true)
    await clock.advance(1_000)
    expect(press('y')).toEqual([true])
    await clock.advance(1_400)
    expect(press('return')).toEqual([true])
    expect([draft.text, answers]).toEqual(['', []])
    expect(notices).toEqual(['The secret is no longer needed. What you typed was discarded.'])
    await ready()
    press('y')
    expect(answers).toEqual([[2, 'once']])
  })

  test('between two keys: the key does not answer the next one', async () => {
    const { open, close, press, ready, answers } = setUpPanel()
    open(approval(1), approval(2))
    await ready()
    press('downArrow')
    await ready()
    close(1)
    press('return', 'y')
    expect(answers).toEqual([])
  })
})
