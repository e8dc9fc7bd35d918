import { expect, test } from 'vitest'
import type { HistoryResult, ResultsItem } from '../history/history-item.ts'
import { shortenResults } from './shorten-results.ts'

const result = (name: string, content: string, changes: Partial<HistoryResult> = {}): HistoryResult => ({
  callId: name,
  name,
  status: 'success',
  content,
  ...changes,
})
const batch = (id: number, ...results: HistoryResult[]): ResultsItem => ({
  type: 'results',
  id,
  at: 1,
  results,
})
const long = 'x'.repeat(8_000)

/** Resolves with a path, and notes what was saved. */
const saver = () => {
  const saved: string[] = []
  const save = async ({ name, spillPath }: HistoryResult): Promise<string> => {
    saved.push(name)
    return spillPath ?? `/spill/${name}`
  }
  return { saved, save }
}

test('the oldest first, and only as many as necessary', async () => {
  const { saved, save } = saver()
  const items = [
    batch(1, result('a', long), result('short', 'ok')),
    batch(2, result('b', long)),
    batch(3, result('c', long)),
  ]
  const changed = await shortenResults(items, 2_000, save)
  expect(changed.map(({ id }) => id)).toEqual([1, 2])
  expect(saved).toEqual(['a', 'b'])
  expect(changed[0]!.results[1]).toBe(items[0]!.results[1])
  const [a] = changed[0]!.results
  expect(a).toMatchObject({ callId: 'a', status: 'success', spillPath: '/spill/a' })
  expect(a!.content).toMatch(
    /^x+\n\[\.\.\. [\d,]+ characters omitted; the complete result is in \/spill\/a \.\.\.\]\nx+$/,
  )
  // Once more changes nothing.
  expect(await shortenResults(changed, Number.POSITIVE_INFINITY, save)).toEqual([])
})

test('a result that is in a file stays there', async () => {
  const { save } = saver()
  const [changed] = await shortenResults([batch(1, result('a', long, { spillPath: '/spill/old' }))], 1, save)
  expect(changed!.results[0]).toMatchObject({ spillPath: '/spill/old' })
  expect(changed!.results[0]!.content).toContain('the complete result is in /spill/old')
})

test('a long path does not make it longer again', async () => {
  const spillPath = `/${'long/'.repeat(400)}`
  const items = [batch(1, result('a', long, { spillPath }))]
  const changed = await shortenResults(items, 1, saver().save)
  expect(await shortenResults(changed, 1, saver().save)).toEqual([])
})

test('a result that cannot be saved is shortened nevertheless, because the conversation has to go on', async () => {
  const [changed] = await shortenResults([batch(1, result('a', long))], 1, async () => null)
  expect(changed!.results[0]!.content).toContain('characters omitted; they could not be saved')
  expect(changed!.results[0]).not.toHaveProperty('spillPath')
})

test('a definition is no longer complete, so it does not count as loaded', async () => {
  const [changed] = await shortenResults([batch(1, result('a', long, { loaded: true }))], 1, saver().save)
  expect(changed!.results[0]).not.toHaveProperty('loaded')
})

test('files become lines', async () => {
  const parts = [
    { type: 'text', text: 'Two files' },
    { type: 'image', data: 'aGVsbG8h', mediaType: 'image/png' },
    { type: 'resource', uri: 'file:///a.pdf', data: 'aGVsbG8h', mediaType: 'application/pdf' },
    { type: 'resource', uri: 'file:///link' },
  ] as const
  const content = 'Two files\n[image image/png, 6 bytes]'
  const [changed] = await shortenResults([batch(1, result('a', content, { parts }))], 1, saver().save)
  expect(changed!.results[0]).toEqual(
    result(
      'a',
      `${content}\n[resource file:///a.pdf application/pdf, 6 bytes]\n[resource file:///link]\n[files of old results are removed from the conversation]`,
    ),
  )
  // Links and text need no room.
  const small = batch(2, result('b', 'ok', { parts: [parts[0], parts[3]] }))
  expect(await shortenResults([small], Number.POSITIVE_INFINITY, saver().save)).toEqual([])
})
