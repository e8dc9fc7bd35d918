import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { answer, header, item, toLines, user } from '../../test/support/session-data.ts'
import { type RecordSink, RecordWriter, type RecordWriterOptions } from './record-writer.ts'
import { countValues, maxFileSize } from './session-size.ts'

const empty = { bytes: 0, lines: 0, values: 0 }

/** A disk in memory that can fail, hang, or write only a part. */
class FakeDisk implements RecordSink {
  text = ''
  writes = 0
  syncs = 0
  isClosed = false
  mode: 'works' | 'fails' | 'hangs' = 'works'

  async appendFile(bytes: Uint8Array): Promise<void> {
    this.writes++
    const text = Buffer.from(bytes).toString()
    if (this.mode === 'hangs') await new Promise(() => {})
    if (this.mode === 'works') this.text += text
    else {
      this.text += text.slice(0, text.length / 2)
      throw new Error('ENOSPC: no space left on device')
    }
  }
  async truncate(length: number): Promise<void> {
    this.text = this.text.slice(0, length)
  }
  async datasync(): Promise<void> {
    this.syncs++
  }
  async close(): Promise<void> {
    this.isClosed = true
  }
}

interface Setup {
  readonly writer: RecordWriter
  readonly disk: FakeDisk
  readonly clock: FakeClock
  readonly problems: string[]
}

function setUp(options: Partial<RecordWriterOptions> = {}): Setup {
  const disk = new FakeDisk()
  const clock = createFakeClock()
  const problems: string[] = []
  const writer = new RecordWriter({
    path: '/state/a.jsonl',
    header,
    size: empty,
    turns: 0,
    open: async () => disk,
    redact: (value) => value,
    onProblem: (problem) => problems.push(problem),
    clock,
    ...options,
  })
  return { writer, disk, clock, problems }
}

const prompts = (count: number) => Array.from({ length: count }, (_, id) => item(user(id, `prompt ${id}`)))

test('a burst of records is written in order, at once, and not while it is appended', async () => {
  const { writer, disk, clock, problems } = setUp()
  const records = prompts(100)
  for (const record of records) writer.append(record)
  expect(disk.writes).toBe(0)
  await clock.settle()
  expect(disk.writes).toBe(1)
  expect(disk.text).toBe(toLines(header, ...records))
  expect(problems).toEqual([])
})

test('a large queue is written in portions', async () => {
  const { writer, disk } = setUp()
  const records = Array.from({ length: 5 }, (_, id) => item(user(id, 'x'.repeat(900_000))))
  for (const record of records) writer.append(record)
  await writer.written()
  expect(disk.writes).toBeGreaterThan(1)
  expect(disk.text).toBe(toLines(header, ...records))
})

test('flush waits for the disk once, close closes the file, and later records are ignored', async () => {
  const { writer, disk, clock } = setUp()
  writer.append(item(user(1, 'go')))
  await writer.written()
  expect(disk.syncs).toBe(0)
  await writer.flush()
  await writer.flush()
  expect(disk.syncs).toBe(1)
  const closed = writer.close()
  writer.append(item(user(2, 'while it is being closed')))
  expect(await closed).toBe(true)
  expect(disk.isClosed).toBe(true)
  const before = disk.text
  expect(before).toBe(toLines(header, item(user(1, 'go'))))
  writer.append(item(user(3, 'late')))
  await clock.settle()
  expect(disk.text).toBe(before)
  expect(clock.pending).toBe(0)
})

test('without records, nothing is written', async () => {
  const { writer, disk } = setUp()
  await writer.flush()
  await writer.close()
  expect(disk.writes).toBe(0)
})

test('a failing disk is reported once, and nothing is lost when it works again', async () => {
  const { writer, disk, problems } = setUp()
  const records = prompts(6)
  writer.append(records[0]!)
  await writer.flush()
  disk.mode = 'fails'
  for (const record of records.slice(1, 4)) {
    writer.append(record)
    await writer.flush()
  }
  expect(problems).toEqual([
    '/state/a.jsonl: the session is not saved completely: ENOSPC: no space left on device',
  ])
  disk.mode = 'works'
  for (const record of records.slice(4)) writer.append(record)
  await writer.close()
  expect(disk.text).toBe(toLines(header, ...records))
  expect(problems).toHaveLength(1)
})

test('a disk that does not respond delays a conversation by 5 seconds at most', async () => {
  const { writer, disk, clock, problems } = setUp()
  disk.mode = 'hangs'
  writer.append(item(user(1, 'go')))
  let isDone = false
  const written = writer.written().then(() => {
    isDone = true
  })
  await clock.advance(4_999)
  expect(isDone).toBe(false)
  await clock.advance(1)
  await written
  expect(problems).toEqual([
    '/state/a.jsonl: the session is not saved completely: the disk has not responded for 5 s',
  ])
  const closed = writer.close()
  await clock.advance(5_000)
  expect(await closed).toBe(false)
  expect(problems).toHaveLength(1)
})

test('while the disk does not respond, the queue is limited', async () => {
  const { writer, disk, clock, problems } = setUp()
  disk.mode = 'hangs'
  writer.append(item(user(0, 'go')))
  await clock.settle()
  for (const record of prompts(20_000)) writer.append(record)
  expect(problems).toEqual([expect.stringContaining('10000 records are waiting')])
})

test('a full file is reported with what to do, and keeps what it has', async () => {
  const { writer, disk, problems } = setUp({
    header: null,
    size: { ...empty, bytes: maxFileSize.bytes - 200 },
  })
  writer.append(item(user(1, 'fits')))
  await writer.flush()
  const before = disk.text
  expect(before).not.toBe('')
  writer.append(item(user(2, 'x'.repeat(200))))
  writer.append(item(user(3, 'would fit')))
  await writer.flush()
  expect(disk.text).toBe(before)
  expect(problems).toEqual([expect.stringMatching(/at most 67108864 bytes.*resume the session/)])
})

test.each([
  ['lines', 1],
  ['values', countValues(toLines(item(user(1, 'fits'))))],
] as const)('a file never has more %s than a reader accepts', async (limit, count) => {
  const { writer, disk, problems } = setUp({
    header: null,
    size: { ...empty, [limit]: maxFileSize[limit] - count },
  })
  writer.append(item(user(1, 'fits')))
  await writer.flush()
  writer.append(item(user(2, 'does not')))
  await writer.flush()
  expect(disk.text).toBe(toLines(item(user(1, 'fits'))))
  expect(problems).toHaveLength(1)
})

test('counts and the end contain the number of turns', async () => {
  const { writer, disk } = setUp({ header: null, turns: 3 })
  writer.append(item(user(1, 'go')))
  writer.append(item(answer(2, 'done')))
  writer.append({ type: 'counts', continuations: 0, usage: { inputTokens: 5, money: null } })
  writer.append(item(user(3, 'earlier', 'summary')))
  writer.append(item(user(4, 'more')))
  writer.append({ type: 'end', reason: 'answer' })
  await writer.flush()
  expect(disk.text).toContain('"usage":{"inputTokens":5,"money":null},"turns":4')
  const turns = disk.text.match(/"turns":\d+/g)
  expect(turns).toEqual(['"turns":4', '"turns":5'])
})

test('a record that cannot be encoded is left out and reported', async () => {
  const { writer, disk, problems } = setUp()
  const bad = { type: 'item', item: { ...user(2, ''), parts: 'none' } } as never
  for (const record of [item(user(1, 'a')), bad, item(user(3, 'b'))]) writer.append(record)
  await writer.flush()
  expect(disk.text).toBe(toLines(header, item(user(1, 'a')), item(user(3, 'b'))))
  expect(problems).toEqual([expect.stringContaining('a record was left out')])
})

test('an onProblem that throws does not break the conversation', async () => {
  const warnings: string[] = []
  const listener = (warning: Error) => warnings.push(warning.message)
  process.on('warning', listener)
  const { writer, disk, clock } = setUp({
    onProblem: () => {
      throw new Error('listener')
    },
  })
  disk.mode = 'fails'
  writer.append(item(user(1, 'go')))
  await writer.flush()
  await clock.settle()
  process.off('warning', listener)
  expect(warnings).toEqual(['onProblem threw: listener'])
})
