import { serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readThreadMessage } from './thread-message.ts'

const types = ['returned', 'threw', 'progress', 'request']
const sentTypes = [...types, 'returned-parts']

test('returns a valid message or throws, whatever a thread sends', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
  })
  const message = fc.record({
    type: fc.constantFrom(...sentTypes, 'log', null),
    result: fc.oneof(
      anything,
      fc.record({ parts: fc.oneof(anything, fc.array(anything)), content: anything }),
    ),
    error: anything,
    progress: anything,
    number: anything,
    method: fc.oneof(anything, fc.constantFrom('ask', 'execute', 'constructor', '__proto__')),
    argument: anything,
  })
  fc.assert(
    fc.property(fc.oneof(anything, message), (value) => {
      try {
        const read = readThreadMessage(serialize(value))
        expect(types).toContain(read.type)
        if (read.type === 'threw') expect(typeof read.error.message).toBe('string')
        if (read.type === 'progress') expect(typeof read.progress.current).toBe('number')
        if (read.type === 'request')
          expect(['ask', 'execute', 'secret', 'requestSecret']).toContain(read.method)
      } catch (error) {
        expect(String(error)).toMatch(/expected a message|levels deep|(parts.*|content): expected/)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('rejects bytes that are not serialized data', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(() => readThreadMessage(bytes)).toThrow(Error)
    }),
  )
})

test('rejects a message that is nested too deeply', () => {
  let argument: unknown = 1
  for (let level = 0; level < 300; level++) argument = [argument]
  const bytes = serialize({ type: 'request', number: 1, method: 'execute', argument })
  expect(() => readThreadMessage(bytes)).toThrow('200 levels deep')
})

test('parts are validated again, because a thread may send anything', () => {
  const parts = [{ type: 'text', text: 'a' }]
  const read = readThreadMessage(serialize({ type: 'returned-parts', result: { value: 1, parts } }))
  expect(read).toMatchObject({ type: 'returned', value: { value: 1, parts } })
  const forged = {
    type: 'returned-parts',
    result: { parts: [{ type: 'image', data: 'no', mediaType: 'x' }] },
  }
  expect(() => readThreadMessage(serialize(forged))).toThrow('parts[0].data: expected a base64 string')
})
