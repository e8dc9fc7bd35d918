import { stripVTControlCharacters } from 'node:util'
import type { CallRow } from '@curfew/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleRow, liveOutput } from '../../../test/example-row.ts'
import { widthOf } from '../../terminal.ts'
import { createTheme } from '../theme/theme.ts'
import { type CallLinesOptions, callLines } from './call-lines.ts'

const now = 12_000
const plain = createTheme('plain')

function lines(fields: Partial<CallRow>, options: Partial<CallLinesOptions> = {}): string[] {
  return callLines(exampleRow(fields), { width: 100, theme: plain, now, spinner: '⠹', ...options })
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

describe('a running call', () => {
  it('has its command, the time and the limit, and a bar', () => {
    expect(lines({})).toEqual(['⠹ run_command npm test · 12 s of 2 min █░░░░░░░░░'])
  })

  it.each([
    [80, '⠹ run_command npm test · 12 s of 2 min █░░░░░░░░░'],
    [40, '⠹ run_command npm test · 12 s of 2 min'],
    [30, '⠹ run_command 12 s of 2 min'],
    [20, '⠹ run_command 12s/2m'],
    [15, '⠹ run_c… 12s/2m'],
  ])('fits into %i columns', (width, expected) => {
    expect(lines({}, { width })[0]).toBe(expected)
  })

  it('has a wider bar on a wide terminal', () => {
    expect(lines({}, { width: 200 })).toEqual([`⠹ run_command npm test · 12 s of 2 min ██${'░'.repeat(18)}`])
  })

  it.each([
    ['accent', 59],
    ['warning', 61],
    ['danger', 86],
  ] as const)('has a bar in the colour of %s at %i %%', (role, percent) => {
    const theme = createTheme('dark')
    const [line] = lines({ elapsedMs: percent * 1_000, timeoutMs: 100_000, updatedAt: now }, { theme })
    expect(line).toContain(theme[role]('█'.repeat(Math.floor(percent / 10))))
  })

  it('shows tenths of a second if the limit is short', () => {
    expect(lines({ elapsedMs: 450, updatedAt: now, timeoutMs: 1_000 })[0]).toContain(
      '400 ms of 1 s ████░░░░░░',
    )
    expect(lines({ elapsedMs: 450, updatedAt: now })[0]).toContain('0 s of 2 min')
  })

  it('shows its progress', () => {
    const progress = { current: 3, total: 10, message: 'compiling\u001b[2J\nall' }
    expect(lines({ progress })[0]).toMatch(/ · 3\/10 compiling all$/)
    expect(lines({ progress: { current: 1234.5678, total: undefined, message: undefined } })[0]).toMatch(
      / · 1234.57$/,
    )
    expect(lines({ progress: { current: Number.NaN, total: 5, message: undefined } })[0]).toMatch(/ · \?\/5$/)
  })

  it('is quiet if nothing was written for five seconds', () => {
    expect(lines({ activeAt: now - 4_999 })[0]).not.toContain('quiet')
    expect(lines({ activeAt: now - 14_900 })[0]).toMatch(/ · quiet for 14 s$/)
    expect(lines({ activeAt: 0 }, { isBusyInside: true })[0]).not.toContain('quiet')
  })

  it('counts the calls inside it', () => {
    expect(lines({}, { doneInside: 4 })[0]).toMatch(/ · 4 calls done$/)
  })

  it('says that it waits for the person, with its clock stopped', () => {
    expect(lines({ paused: true, elapsedMs: 3_000, activeAt: 0 })).toEqual([
      '? run_command npm test · waiting for you · 3 s of 2 min',
    ])
  })

  it('says that it runs in the background', () => {
    const [line] = lines({ background: true, timeoutMs: 8 * 3_600_000, elapsedMs: 3_600_000 })
    expect(line).toContain('· in the background · 1 h of 8 h █░')
  })

  it('says that it was retried with another key', () => {
    expect(lines({ heals: 1 })[0]).toMatch(/ · retried with another key$/)
    expect(lines({ heals: 2 })[0]).toMatch(/ · retried with another key \(2\)$/)
  })

  it('has no bar without a limit', () => {
    expect(lines({ timeoutMs: null })).toEqual(['⠹ run_command npm test · 12 s'])
  })
})

describe('live output', () => {
  it('has the last three lines and the number of the others', () => {
    expect(lines(liveOutput(numbered(15_000)))).toEqual([
      '⠹ run_command npm test · 12 s of 2 min █░░░░░░░░░ · 15,000 lines',
      '  line 14998',
      '  line 14999',
      '  line 15000',
      '  + 14,997 lines (Ctrl-O shows all)',
    ])
  })

  it('is complete if it is short', () => {
    expect(lines(liveOutput('a\n\tb\nhalf')).slice(1)).toEqual(['  a', '          b', '  half'])
    expect(lines(liveOutput('a\n\n\n')).slice(1)).toEqual(['  a'])
  })

  it('shows overwritten lines as a terminal does', () => {
    expect(lines(liveOutput('10%\r50%\r100%\nnext 1%\rnext 2%\r')).slice(1)).toEqual(['  100%', '  next 2%'])
  })

  it('is not indented on a narrow terminal, and cut to the width', () => {
    expect(lines(liveOutput(`${'x'.repeat(50)}\n`), { width: 20 }).slice(1)).toEqual([`${'x'.repeat(19)}…`])
  })

  it.each([
    [1, []],
    [2, ['  line 9']],
    [3, ['  line 9', '  + 8 lines']],
    [4, ['  line 8', '  line 9', '  + 7 lines']],
  ])('fits into %i lines', (maxLines, expected) => {
    expect(lines(liveOutput(numbered(9)), { maxLines, moreHint: null }).slice(1)).toEqual(expected)
  })

  it('does not begin in the middle of a line', () => {
    const text = `${'y'.repeat(3_000)}\nend\n`
    expect(lines(liveOutput(text)).slice(1)).toEqual(['  end', '  + 1 line (Ctrl-O shows all)'])
  })
})

describe('a call that waits', () => {
  it.each([
    ['awaiting_approval', '? run_command npm test · waiting for your approval'],
    ['scheduled', '· run_command npm test · waiting for its turn'],
    ['validating', '· run_command npm test · waiting for its turn'],
  ] as const)('%s', (status, expected) => {
    expect(lines({ status, startedAt: null, timeoutMs: null })).toEqual([expected])
  })
})

describe('a call that has ended', () => {
  it('has its duration and the number of lines', () => {
    expect(lines({ status: 'success', elapsedMs: 1_234, ...liveOutput(numbered(5)) })).toEqual([
      '✓ run_command npm test · 1.2 s · 5 lines',
    ])
  })

  it('names the limit and where it was set', () => {
    const message = 'run_command was stopped after 2 min: its limit is 2 min (set on the call)'
    expect(lines({ status: 'error', elapsedMs: 120_000, code: 'TOOL_TIMEOUT', message })).toEqual([
      '✗ run_command npm test · 2 min of 2 min',
      `  TOOL_TIMEOUT: ${message}`,
    ])
  })

  it('has the first lines of the message', () => {
    const message = 'exit code 1\n\u001b[31merror:\u001b[0m first\nsecond\nthird'
    expect(lines({ status: 'error', elapsedMs: 10, code: 'TOOL_FAILED', message }).slice(1)).toEqual([
      '  TOOL_FAILED: exit code 1',
      '  error: first',
      '  second …',
    ])
  })

  it('that was never started has no duration', () => {
    const denied = { status: 'error', startedAt: null, code: 'DENIED', message: 'No.' } as const
    expect(lines(denied)).toEqual(['✗ run_command npm test', '  DENIED: No.'])
  })

  it('cancelled, abandoned or continued in the background', () => {
    expect(
      lines({ status: 'cancelled', elapsedMs: 3_000, code: 'CANCELLED', message: 'by the user' }),
    ).toEqual(['⊘ run_command npm test · cancelled after 3 s'])
    expect(lines({ status: 'cancelled', elapsedMs: 3_000, code: 'CANCELLED', abandoned: true })[0]).toContain(
      'abandoned: it ignored its signal',
    )
    expect(lines({ status: 'success', detachedTo: 7 })).toEqual([
      '→ run_command npm test · continues in the background as call 7',
    ])
  })
})

describe('names', () => {
  it.each([
    [{ title: 'Run a command' }, 'run_command npm test'],
    [{ name: 'mcp__github__create_issue', server: 'github' }, 'create_issue (github) npm test'],
    [{ name: 'a\u001b[2Jb\u202ec\ud800', args: '' }, 'a\\u001b[2Jb\\u202ec\\ud800'],
    [{ name: 'not_prefixed', server: 'github' }, 'not_prefixed npm test'],
  ])('%j', (fields, expected) => {
    expect(lines({ status: 'success', startedAt: null, ...fields })[0]).toBe(`✓ ${expected}`)
  })
})

describe('for a screen reader', () => {
  it('uses words, and no live output', () => {
    const options = { isScreenReader: true }
    expect(lines({ ...liveOutput(numbered(5)), activeAt: 0 }, options)).toEqual([
      'run_command npm test, running, 12 s of 2 min, 5 lines, quiet for 12 s',
    ])
    expect(lines({ status: 'success', elapsedMs: 50 }, options)).toEqual([
      'run_command npm test, done, 50 ms',
    ])
  })
})

/** Pieces that take over a terminal, hide text, or take two columns or none. */
const hostile = fc.array(
  fc.constantFrom(
    ...[
      'a',
      ' ',
      '\t',
      '\n',
      '\r',
      '\u001b[2J',
      '\u001b]0;title\u0007',
      '\u009b31m',
      '\u202e',
      '\u2066',
      '\ud800',
      '\udc00',
    ],
    ...[
      '日本',
      '👩‍👩‍👧',
      'e\u0301',
      '\u200b',
      '\u2028',
      '❤\ufe0f',
      '…',
      '=',
      '"',
      'command="x"',
      '\u0000',
      'x'.repeat(300),
    ],
  ),
  { maxLength: 40 },
)
const text = hostile.map((pieces) => pieces.join(''))
const status = fc.constantFrom(
  'executing',
  'success',
  'error',
  'cancelled',
  'scheduled',
  'awaiting_approval',
  'validating',
)

it('whatever a call contains, its lines fit and contain nothing that controls a terminal', () => {
  fc.assert(
    fc.property(
      fc.record({ name: text, title: fc.option(text), args: text, output: text, message: text, status }),
      fc.integer({ min: 20, max: 300 }),
      fc.boolean(),
      ({ output, status, ...fields }, width, isScreenReader) => {
        const progress = { current: 1, total: 2, message: fields.message }
        const row = exampleRow({
          ...fields,
          ...liveOutput(output),
          status: status as CallRow['status'],
          progress,
          code: status === 'error' ? 'TOOL_FAILED' : null,
        })
        const shown = callLines(row, { width, theme: createTheme('dark'), now, isScreenReader })
        expect(shown.length).toBeGreaterThan(0)
        for (const line of shown) {
          const bare = stripVTControlCharacters(line)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles of the theme
          expect(line.replace(/\u001b\[[\d;]*m/g, '')).toBe(bare)
          expect(bare).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
          expect(widthOf(bare)).toBeLessThanOrEqual(width)
        }
        if (!isScreenReader) expect(shown.length).toBeLessThanOrEqual(5)
      },
    ),
    { numRuns: 2_000 },
  )
})

it('very long lines take little time', () => {
  const long = `${'日'.repeat(100_000)}\t${'\t'.repeat(50_000)}`
  const row = exampleRow({ name: long, args: long, message: long, status: 'error', code: 'TOOL_FAILED' })
  for (let round = 0; round < 20; round++) callLines(row, { width: 200, theme: plain, now })
})
