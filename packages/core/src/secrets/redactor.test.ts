import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from './redactor.ts'

const secret = 'sk-ab/c+d e="ö"\\x'

const pem =
  '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END KEY-----\n'

function redactor(...values: string[]): Redactor {
  const created = new Redactor()
  for (const [index, value] of values.entries()) created.add(`KEY_${index}`, value)
  return created
}

describe('Redactor', () => {
  test.each([
    ['verbatim', secret],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 of user:secret', Buffer.from(`me:${secret}`).toString('base64')],
    ['base64 of a longer string', Buffer.from(`user:${secret}:more`).toString('base64')],
    ['base64url', Buffer.from(secret).toString('base64url')],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL, in lower case', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ a: secret }).toString()],
    ['in JSON', JSON.stringify(secret)],
    ['in a URL query', new URL(`http://h/?k=${secret}`).search],
    ['trimmed', ` ${secret}\n`.trim()],
  ])('redacts a secret: %s', (_name, text) => {
    const hidden = redactor(secret).text(`before ${text} after`)
    expect(hidden).toMatch(/before .*\[secret KEY_0\].* after/)
    expect(hidden.length).toBeLessThan(text.length + 20)
  })

  test('redacts a multi-line secret in JSON', () => {
    const pem = '-----BEGIN KEY-----\nabc\n-----END KEY-----'
    expect(redactor(pem).text(JSON.stringify({ pem }))).toBe('{"pem":"[secret KEY_0]"}')
  })

  test('stops redacting a removed secret, unless another caller has added it too', () => {
    const created = redactor('another-secret')
    const removers = [created.add('OLD', secret), created.add('OLD', secret)]
    removers[0]!()
    removers[0]!()
    expect(created.text(secret)).toBe('[secret OLD]')
    removers[1]!()
    expect(created.text(`${secret} another-secret`)).toBe(`${secret} [secret KEY_0]`)
    const stream = created.stream()
    expect(stream.push(secret) + stream.end()).toBe(secret)
    created.add('NEW', secret)
    expect(created.text(secret)).toBe('[secret NEW]')
  })

  test('is inactive once all secrets are removed', () => {
    const created = new Redactor()
    created.add('OLD', secret)()
    expect(created.active).toBe(false)
    expect(created.bytes(Buffer.from(secret))).toEqual(Buffer.from(secret))
  })

  test('returns the same objects without secrets', () => {
    const value = { a: ['text'] }
    expect(new Redactor().data(value)).toBe(value)
    expect(redactor('nothing-here').data(value)).toBe(value)
  })

  test('redacts nested data, keys, numbers and prototypes, and replaces what cannot be serialized', () => {
    const created = redactor(secret, '12345678')
    const data = { [secret]: [{ deep: `x${secret}` }], number: 12_345_678, same: { ok: 1 } }
    expect(created.data(data)).toEqual({
      '[secret KEY_0]': [{ deep: 'x[secret KEY_0]' }],
      number: '[secret KEY_1]',
      same: { ok: 1 },
    })
    const redacted = redactor('canary').data(JSON.parse('{"__proto__": {"x": "canary"}}'))
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"x":"[secret KEY_0]"}}')
    const named = redactor('canary').data({ canary: 1, '[secret KEY_0]': 2 })
    expect(JSON.stringify(named)).toBe(`{"[secret KEY_0]":1,"[secret KEY_0]'":2}`)
    const cyclic: Record<string, unknown> = { canary: 'canary' }
    cyclic.self = cyclic
    expect(redactor('canary').data(cyclic)).toBe('[cannot be shown]')
  })

  test('redacts bytes, also of non-ASCII characters', () => {
    const bytes = (text: string, hidden: string): string =>
      Buffer.from(redactor(hidden).bytes(Buffer.from(text))).toString()
    expect(bytes('a canary b', 'canary')).toBe('a [secret KEY_0] b')
    expect(bytes('a schlüssel b', 'schlüssel')).toBe('a [secret KEY_0] b')
  })

  test.each<[string, () => unknown]>([
    ['its message and cause', () => new TypeError('no canary', { cause: { key: 'canary' } })],
    ['a Map', () => Object.assign(new Error('x'), { map: new Map([['k', 'canary']]) })],
    ['several errors', () => new AggregateError([new Error('canary')], 'all')],
    ['a non-enumerable property', () => Object.defineProperty(new Error('x'), 'hidden', { value: 'canary' })],
    ['an object that is not an error', () => ({ key: 'canary' })],
    [
      'itself',
      () => {
        const error = new Error('canary')
        return Object.assign(error, { error })
      },
    ],
  ])('redacts an error with the secret in %s', (_name, make) => {
    const hidden = redactor('canary').error(make())
    expect(inspect(hidden, { showHidden: true, depth: 10 })).not.toContain('canary')
  })

  test('handles unreadable errors, and keeps the message of a clean one', () => {
    const clean = new TypeError('fine')
    expect(new Redactor().error(clean)).toBe(clean)
    expect(redactor('canary').error(clean)).toMatchObject({
      name: 'TypeError',
      message: 'fine',
      stack: clean.stack,
    })
    const nasty = Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('canary')
      },
    })
    expect(() => redactor('canary').error(nasty)).not.toThrow()
  })

  test('redacts the rest of a truncated secret', () => {
    const long = 'sk-0123456789abcdef'
    expect(redactor(long).text(`${'x'.repeat(10)}${long}`.slice(0, -3))).not.toContain('sk-01234')
    expect(redactor(long).text(long.slice(4))).not.toContain('89abcdef')
  })

  test('takes linear time for many occurrences', () => {
    const stream = redactor('canary-value').stream()
    const start = performance.now()
    stream.push('canary-value'.repeat(100_000))
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test('redacts a secret that is a prefix of another, and one that overlaps itself', () => {
    const stream = redactor('secret', 'secret-long').stream()
    expect(stream.push('a secret') + stream.push('-long b') + stream.end()).toBe('a [secret KEY_1] b')
    const again = redactor('abcab').stream()
    expect(again.push('abcab') + again.push('cab') + again.end()).toBe('[secret KEY_0]cab')
  })

  test('emits an incomplete secret at the end of a stream', () => {
    const stream = redactor('secret').stream()
    expect(stream.push('my secr')).toBe('my ')
    expect(stream.end()).toBe('secr')
  })

  test('redacts a stream like the whole string, however it is split', () => {
    const values = ['canary', 'aab', 'abab-abab', 'na-na-na', 'token', 'token-long', pem, 'abcdefgh/12345678']
    const created = redactor(...values)
    const base64 = Buffer.from(`me:${pem}`).toString('base64')
    const lines = [...pem.split('\n'), ...base64.match(/.{1,20}/g)!]
    const piece = fc.oneof(
      fc.constantFrom(...values, ...lines, base64, 'can', 'ary', 'a', 'ab', '-', 'x'),
      fc.constantFrom('\n', '\r\n', '\n  ', '\\n', '\\', ' ', '\t', 'abcdefgh\\/12345678', '\\/'),
      fc.constantFrom('\u001b', '\u001b[', '0;1', '\u001b[0m', 'm', '\\u001b[1m'),
      fc.constantFrom(
        '%',
        '%25',
        '2F',
        '%252f',
        '&',
        'amp;',
        '#x2f;',
        'u002F',
        'u',
        'x2f',
        '\\t',
        'abcdefgh',
        '12345678',
      ),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const stream = created.stream()
        const streamed = pieces.map((text) => stream.push(text)).join('') + stream.end()
        for (const value of values) if (value.length >= 4) expect(streamed).not.toContain(value)
        expect(streamed).toBe(created.text(pieces.join('')))
      }),
      { numRuns: 2_000 },
    )
  })

  test('redacts a long text like a short one, wherever its pieces end', () => {
    const created = redactor(pem, 'canary')
    const wrapped = Buffer.from(pem).toString('base64').replace(/.{16}/g, '$&\n\t')
    const short = created.text(`${wrapped}canary\n`)
    expect(short).toMatch(/^\[secret KEY_0\]\S{0,4}\[secret KEY_1\]\n$/)
    // The pieces have 4,096 characters.
    for (let before = 3_800; before < 4_200; before += 7) {
      const around = ['.'.repeat(before), '.\n'.repeat(20_000)] as const
      expect(created.text(around.join(`${wrapped}canary\n`))).toBe(around.join(short))
      expect(created.text(around.join('cana\n'))).toBe(around.join('cana\n'))
    }
  })

  test('shows the end of a stream unless it may begin a secret', () => {
    const shown = (text: string, isSilent: boolean, ...values: string[]): string => {
      const stream = redactor(...values).stream()
      return stream.push(text) + stream.preview(isSilent)
    }
    const key = 'sk-0123456789abcdefghij&klmnop'
    for (const text of ['all tests', 'port 3007', 'task', '0x73', '50%', 'C:\\', 'a &', 'a sk-'])
      expect(shown(text, false, key)).toBe(text)
    expect(shown('a sk-0', false, key)).toBe('a …')
    expect(shown('a sk-0', true, key)).toBe('a sk-0')
    expect(shown('a sk-0\n ', true, key)).toBe('a sk-0\n ')
    expect(shown('a sk-0123', true, key)).toBe('a sk-0123')
    expect(shown('a &quo', true, `ab${key}`)).toBe('a &quo')
    expect(shown('a ab&amp;klmnop', true, `ab&klmnop${key}`)).toBe('a …')
    // Never as much as eight characters, or more than half of a form: of the first half, too.
    for (const text of ['a sk-01234', 'a sk-0123\n4', 'a %73%6b-01234'])
      expect(shown(text, true, key)).toBe('a …')
    expect(shown('a hun', true, 'hunter')).toBe('a hun')
    expect(shown('a hun', true, 'hunte')).toBe('a …')
    // A complete secret that may begin a longer one.
    expect(shown('a abcd', false, 'abcd', 'abcdefghijklmnop')).toBe('a …')
    expect(shown('a abcd', true, 'abcd', 'abcdefghijklmnop')).toBe('a [secret KEY_0]')
    const stream = redactor(key).stream()
    expect(stream.push('sk-') + stream.preview(true)).toBe('sk-')
    expect(stream.push(key.slice(3)) + stream.preview(true)).toBe('[secret KEY_0]')
  })

  test('what is shown of a stream never contains a secret, and is finally redacted', () => {
    const values = ['abcd', 'canary', 'canary-birds-sing', 'key-"with/special&signs', pem]
    const created = redactor(...values)
    const escaped = [
      JSON.stringify(values[3]),
      encodeURIComponent(values[3]!),
      '\\',
      '%',
      '%2',
      '&',
      '&am',
      '\\u00',
    ]
    const text = fc.array(
      fc.oneof(fc.constantFrom(...values, ...escaped, ' ', '\n', 'x', 'can'), fc.string({ maxLength: 3 })),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(text, fc.array(fc.nat(12), { maxLength: 40 }), (parts, lengths) => {
        const whole = parts.join('')
        const stream = created.stream()
        let [at, final] = [0, '']
        for (const length of [...lengths, whole.length]) {
          final += stream.push(whole.slice(at, at + length))
          at += length
          for (const isSilent of [false, true]) {
            const shown = final + stream.preview(isSilent)
            for (const value of values) expect(shown).not.toContain(value)
          }
        }
        final += stream.end()
        expect(stream.preview(false)).toBe('')
        expect(final).toBe(created.text(whole))
      }),
      { numRuns: 2_000 },
    )
  })

  test('redacts a wrapped secret that arrives character by character', () => {
    const created = redactor(pem)
    const wrapped = Buffer.from(pem).toString('base64').replace(/.{16}/g, '$&\n\t  ')
    for (const text of [wrapped, pem.replaceAll('\n', '\r\n        ')]) {
      const stream = created.stream()
      const streamed =
        [...`before ${text} after`].map((character) => stream.push(character)).join('') + stream.end()
      expect(streamed).toMatch(/^before \[secret KEY_0\]\S{0,4}\s+after$/)
    }
  })

  test('buffers a bounded amount', () => {
    const stream = redactor(pem).stream()
    stream.push(pem.slice(0, 20))
    let output = ''
    for (let count = 0; count < 100; count++) output += stream.push('          ')
    expect(output.length).toBeGreaterThan(800)
  })
})
