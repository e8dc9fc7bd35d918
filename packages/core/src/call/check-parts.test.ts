import { expect, test } from 'vitest'
import { checkParts } from './check-parts.ts'
import { nameOfPart, type ResultPart, textOfPart } from './result-part.ts'

const data = Buffer.from('hello').toString('base64')
const image = { type: 'image', data, mediaType: 'image/png' }
const resource = { type: 'resource', uri: 'https://example.com/a' }

test.each([
  [{ type: 'text', text: '' }],
  [image],
  [{ type: 'audio', data: '', mediaType: 'audio/wav' }],
  [{ type: 'file', data, mediaType: 'text/plain; charset=utf-8', name: 'größe 1.txt' }],
  [resource],
  [{ ...resource, title: 'A', mediaType: 'text/plain', text: 'a' }],
  [{ ...resource, data }],
])('accepts %j', (part) => {
  expect(checkParts([part])).toEqual([part])
})

test.each([
  [undefined, 'parts: expected an array, got undefined'],
  [[null], 'parts[0]: expected an object with a type, got null'],
  [[image, 'text'], 'parts[1]: expected an object with a type, got "text"'],
  [[{ type: 'video' }], 'parts[0].type: expected one of text, image, audio, file, resource, got "video"'],
  [
    [{ type: 'toString' }],
    'parts[0].type: expected one of text, image, audio, file, resource, got "toString"',
  ],
  [[{ type: 'text' }], 'parts[0].text: expected a string, got undefined'],
  [[{ ...image, data: 'no!!' }], 'parts[0].data: expected a base64 string'],
  [[{ ...image, data: 'abc' }], 'parts[0].data: expected a base64 string'],
  [[{ ...image, data: 'a=bc' }], 'parts[0].data: expected a base64 string'],
  [[{ ...image, data: 'abcd\n' }], 'parts[0].data: expected a base64 string'],
  [[{ ...image, data: Buffer.from('x') }], 'parts[0].data: expected a base64 string'],
  [[{ ...image, mediaType: 'text/html' }], 'parts[0].mediaType: expected a media type such as image/png'],
  [
    [{ ...image, mediaType: 'image/png\r\nx: y' }],
    'parts[0].mediaType: expected a media type such as image/png',
  ],
  [[{ ...image, mimeType: 'image/png' }], 'parts[0].mimeType: unknown field; did you mean "mediaType"?'],
  [
    [{ ...image, type: 'file', name: '../a' }],
    'parts[0].name: expected a file name without a path, got "../a"',
  ],
  [[{ ...image, type: 'file', name: '..' }], 'parts[0].name: expected a file name without a path, got ".."'],
  [[{ ...image, type: 'file', name: 'a\u0000' }], 'parts[0].name: expected a file name without a path'],
  [[{ ...resource, uri: 'not a uri' }], 'parts[0].uri: expected a URI'],
  [[{ ...resource, text: 'a', data }], 'parts[0]: a resource has either text or data'],
  [Array(101).fill(image), 'parts: expected at most 100, got 101'],
  [
    [{ ...image, data: 'A'.repeat(9 << 20) }],
    'parts: expected at most 8 MiB of text and base64, got 10 MiB; write a file and return a resource part with its uri',
  ],
])('names the field in %#', (parts, message) => {
  expect(() => checkParts(parts)).toThrow(
    expect.objectContaining({ code: 'INVALID_RESULT', message: expect.stringContaining(message) }),
  )
})

test('the parts are copies that cannot be changed', () => {
  const part = { ...image }
  const parts = checkParts([part])
  part.data = ''
  expect(parts).toEqual([image])
  expect(() => Object.assign(parts[0]!, { data: '' })).toThrow(TypeError)
  expect(() => (parts as unknown[]).push(1)).toThrow(TypeError)
})

test('rejecting long data takes linear time', () => {
  const before = performance.now()
  expect(() => checkParts([{ ...image, data: `${'A'.repeat((8 << 20) - 1)}!` }])).toThrow('base64')
  expect(performance.now() - before).toBeLessThan(5_000)
})

const sized = (bytes: number): string => Buffer.alloc(bytes).toString('base64')

test.each([
  [{ type: 'image', data: sized(34_000), mediaType: 'image/png' }, '[image image/png, 34 KB]'],
  [{ type: 'audio', data: sized(1), mediaType: 'audio/wav' }, '[audio audio/wav, 1 byte]'],
  [
    { type: 'file', data: sized(2_500_000), mediaType: 'application/pdf', name: 'a.pdf' },
    '[file a.pdf application/pdf, 2.5 MB]',
  ],
  [{ ...resource, title: 'The page' }, '[resource The page https://example.com/a]'],
  [
    { ...resource, mediaType: 'image/png', data: sized(999) },
    '[resource https://example.com/a image/png, 999 bytes]',
  ],
])('a part that is not text is named, %#', (part, name) => {
  expect(nameOfPart(part as never)).toBe(name)
  expect(textOfPart(part as ResultPart)).toBe(name)
})

test('text is not named', () => {
  expect(textOfPart({ type: 'text', text: 'a' })).toBe('a')
  expect(textOfPart({ type: 'resource', uri: 'memo:a', text: 'b' })).toBe('b')
})
