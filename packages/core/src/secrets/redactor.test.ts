import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from './redactor.ts'

const secret = 'sk-ab/c+d e="ö"\\x'

function redactor(...values: string[]): Redactor {
  const made = new Redactor()
  for (const [index, value] of values.entries()) made.add(`KEY_${index}`, value)
  return made
}

describe('Redactor', () => {
  test.each([
    ['as it is', secret],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 of user:secret', Buffer.from(`me:${secret}`).toString('base64')],
    ['base64 of a longer text', Buffer.from(`user:${secret}:more`).toString('base64')],
    ['base64url', Buffer.from(secret).toString('base64url')],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL, in small letters', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ a: secret }).toString()],
    ['in JSON', JSON.stringify(secret)],
  ])('%s', (_name, text) => {
    const hidden = redactor(secret).text(`before ${text} after`)
    expect(hidden).toMatch(/before .*\[secret KEY_0\].* after/)
    expect(hidden.length).toBeLessThan(text.length + 20)
  })

  test('a multi-line secret in JSON', () => {
    const pem = '-----BEGIN KEY-----\nabc\n-----END KEY-----'
    expect(redactor(pem).text(JSON.stringify({ pem }))).toBe('{"pem":"[secret KEY_0]"}')
  })

  test('without secrets everything stays the same object', () => {
    const value = { a: ['text'] }
    expect(new Redactor().value(value)).toBe(value)
    expect(redactor('nothing-here').value(value)).toBe(value)
  })

  test('values: nested, keys, bytes, errors, cycles, prototypes', () => {
    const cyclic: Record<string, unknown> = { [secret]: [{ deep: `x${secret}` }], same: { ok: 1 } }
    cyclic.self = cyclic
    const hidden = redactor(secret).value(cyclic) as Record<string, unknown>
    expect(Object.keys(hidden)).toContain('[secret KEY_0]')
    expect(hidden.same).toBe(cyclic.same)
    const bytes = redactor('canary').value(Buffer.from('a canary b'))
    expect(Buffer.from(bytes).toString()).toBe('a [secret KEY_0] b')
    const error = redactor('canary').value(new TypeError('no canary', { cause: { key: 'canary' } }))
    expect(error).toBeInstanceOf(Error)
    expect(`${error.name} ${error.message} ${error.stack} ${JSON.stringify(error.cause)}`).not.toContain(
      'canary',
    )
    const odd = redactor('canary').value(JSON.parse('{"__proto__": {"x": "canary"}}'))
    expect(JSON.stringify(odd)).toBe('{"__proto__":{"x":"[secret KEY_0]"}}')
  })

  test('a secret that is the beginning of another, and one that overlaps itself', () => {
    const stream = redactor('secret', 'secret-long').stream()
    expect(stream.push('a secret') + stream.push('-long b') + stream.end()).toBe('a [secret KEY_1] b')
    const again = redactor('abcab').stream()
    expect(again.push('abcab') + again.push('cab') + again.end()).toBe('[secret KEY_0]cab')
  })

  test('what is only the beginning of a secret comes out in the end', () => {
    const stream = redactor('secret').stream()
    expect(stream.push('my secr')).toBe('my ')
    expect(stream.end()).toBe('secr')
  })

  test('however a text is cut into pieces, it comes out as if it were whole', () => {
    const values = ['canary', 'aab', 'abab-abab', 'na-na-na', 'token', 'token-long']
    const made = redactor(...values)
    const piece = fc.oneof(
      fc.constantFrom(...values, 'can', 'ary', 'a', 'ab', '-', 'x'),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const stream = made.stream()
        const streamed = pieces.map((text) => stream.push(text)).join('') + stream.end()
        for (const value of values) if (value.length >= 4) expect(streamed).not.toContain(value)
        expect(streamed).toBe(made.text(pieces.join('')))
      }),
      { numRuns: 2_000 },
    )
  })
})
