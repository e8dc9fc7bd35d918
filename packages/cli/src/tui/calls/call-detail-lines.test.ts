import { createRuntime, defineTool } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, it } from 'vitest'
import { exampleRow, liveOutput } from '../../../test/example-row.ts'
import { widthOf } from '../../terminal.ts'
import { createTheme } from '../theme/theme.ts'
import { callDetailLines } from './call-detail-lines.ts'
import { CallRecords } from './call-records.ts'

const options = { width: 80, theme: createTheme('plain') }

it('has everything about a call of a runtime', async () => {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, maxToolCallTimeout: '1m' })
  const records = new CallRecords(runtime)
  const script = [{ output: 'a\nb\n' }, { return: 'all is well' }]
  runtime.register(scriptedTool({ clock, name: 'work', timeout: '5m', readOnly: true, script }))
  await clock.runUntil(
    runtime.execute([{ id: 'x', name: 'work', params: { path: 'src', text: 'a\nb' } }], { turn: 't1' }),
  )
  const row = runtime.getSnapshot().calls[0]!
  const lines = callDetailLines(row, records.get(row.uid), options)
  expect(lines.map((line) => line.replace(/\d\d:\d\d:\d\d/g, 'hh:mm:ss'))).toEqual([
    'tool       work (function)',
    `call       ${row.uid} (id x), batch 1, turn t1, conversation default`,
    'allowed by its read-only flag',
    'limit      1 min (maxToolCallTimeout in the configuration); 5 min were requested',
    "           (the tool's own timeout)",
    'times      validating hh:mm:ss, scheduled hh:mm:ss, executing hh:mm:ss, success',
    '           hh:mm:ss',
    '',
    'Arguments',
    '  {',
    '    "path": "src",',
    '    "text": "a\\nb"',
    '  }',
    '',
    'Result',
    '  all is well',
    '',
    'Output (2 lines)',
  ])
  records.close()
  await runtime.close()
})

it('without a record, it has what the row contains', () => {
  const row = exampleRow({
    status: 'error',
    code: 'DENIED',
    message: 'No.\nReally.',
    parentUid: 5,
    endedAt: 3_000,
    pausedMs: 2_000,
    allowedBy: { kind: 'rule', rule: 'run_command(npm *)' },
  })
  const text = callDetailLines(row, undefined, options).join('\n')
  expect(text).toMatch(/inside\s+call 5/)
  expect(text).toContain('allowed by the rule run_command(npm *)')
  expect(text).toMatch(/times {6}requested .*, started .*, ended /)
  expect(text).toContain('paused     2 s, waiting for a person')
  expect(text).toContain('Arguments\n  command="npm test"')
  expect(text).toContain('Error\n  DENIED: No.\n  Really.')
})

it('long and hostile values fit', () => {
  const evil = `${'x'.repeat(500)}\u001b[2J\u202e日本${'\t'.repeat(20)}\ud800\n`.repeat(3)
  const row = exampleRow({
    name: evil,
    title: evil,
    id: evil,
    preview: evil,
    conversation: evil,
    ...liveOutput(evil),
  })
  const record = { args: evil, states: [], deadline: null, resultPath: evil }
  for (const width of [20, 40, 80, 200]) {
    for (const line of callDetailLines(row, record, { ...options, width })) {
      expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, 21))
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u)
    }
  }
})

it('records are bounded', async () => {
  const runtime = createRuntime({ log: () => {} })
  const records = new CallRecords(runtime)
  runtime.register(
    defineTool({
      name: 'work',
      description: 'Work.',
      readOnly: true,
      concurrent: true,
      parameters: { type: 'object' },
      execute: () => 1,
    }),
  )
  const large = 'x'.repeat(100_000)
  const calls = Array.from({ length: 400 }, (_, id) => ({
    id: String(id),
    name: 'work',
    params: { id, a: large, b: [large, large, large, large] },
  }))
  await runtime.execute(calls)
  const kept = runtime.getSnapshot().calls.map(({ uid }) => records.get(uid))
  expect(kept[0]).toBe(undefined)
  expect(kept.at(-1)!.args.length).toBeLessThan(17_000)
  expect(kept.reduce((sum, record) => sum + (record?.args.length ?? 0), 0)).toBeLessThan(4_200_000)
  await runtime.close()
})
