import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormFinder } from './form-finder.ts'
import { Redactor } from './redactor.ts'

const secret = 'sk-live/4f+9 aä"Zq\\7<x>'
const pem = `-----BEGIN KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c\n'.repeat(3)}-----END KEY-----\n`

const wrap = (text: string, columns: number, separator: string): string =>
  text.replace(new RegExp(`.{${columns}}`, 'g'), `$&${separator}`)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const unicode = (text: string): string =>
  text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const html = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`)
const percent = (text: string): string => hex(text).replace(/../g, '%$&')
const indent = (text: string): string => text.replaceAll('\n', '\n      ')

describe('redacted forms of a secret', () => {
  const long = secret.repeat(8)
  test.each([
    ['base64 wrapped at 76 columns', long, wrap(base64(`me:${long}`), 76, '\n')],
    ['base64 wrapped at 76 columns, with CRLF', long, wrap(base64(`x${long}`), 76, '\r\n')],
    ['base64 wrapped at 64 columns and indented', long, wrap(base64(long), 64, '\n    ')],
    ['base64 wrapped, in JSON', long, JSON.stringify(wrap(base64(long), 64, '\n'))],
    ['base64 wrapped, in JSON in JSON', long, JSON.stringify(JSON.stringify(wrap(base64(long), 64, '\n')))],
    ['base64 wrapped, with its slashes escaped', long, wrap(base64(long), 76, '\\n').replaceAll('/', '\\/')],
    [
      'a short secret with a line break inside',
      secret,
      `${base64(secret).slice(0, 9)}\n${base64(secret).slice(9)}`,
    ],
    ['PEM verbatim', pem, pem],
    ['every character in color', secret, wrap(secret, 1, '\u001b[38;5;1m')],
    [
      'the beginning in color, by grep',
      secret,
      `\u001b[1m${secret.slice(0, 3)}\u001b[m\u001b[K${secret.slice(3)}`,
    ],
    ['in color, in JSON', secret, JSON.stringify(wrap(secret, 4, '\u001b[0m'))],
    ['PEM, indented', pem, indent(pem)],
    ['PEM with CRLF', pem, pem.replaceAll('\n', '\r\n')],
    ['PEM in JSON, indented', pem, JSON.stringify({ pem: indent(pem) })],
    ['JSON with escaped slashes', secret, JSON.stringify(secret).replaceAll('/', '\\/')],
    ['a short secret in JSON with escaped slashes', 'a/b/c', 'a\\/b\\/c'],
    ['JSON in ASCII', secret, JSON.stringify(secret).replace('ä', '\\u00e4')],
    [
      'JSON for HTML',
      secret,
      JSON.stringify(secret).replace('ä', '\\u00e4').replace('<', '\\u003c').replace('>', '\\u003e'),
    ],
    ['hex', secret, hex(secret)],
    ['hex in capitals', secret, hex(secret).toUpperCase()],
    ['\\u escapes throughout', secret, unicode(secret)],
    [
      '\\u escapes in capitals',
      secret,
      unicode(secret).replace(/[a-f0-9]{4}/g, (code) => code.toUpperCase()),
    ],
    ['percent encoding throughout', secret, percent(secret)],
    ['percent encoding in capitals', secret, percent(secret).toUpperCase()],
    ['\\u escapes of a surrogate pair', `${secret}😀`, unicode(`${secret}😀`)],
    ['percent encoding twice', secret, encodeURIComponent(encodeURIComponent(secret))],
    ['percent encoding throughout, twice', secret, percent(secret).replaceAll('%', '%25')],
    ['\\x escapes throughout', secret, percent(secret).replaceAll('%', '\\x')],
    [
      'hex with colons',
      secret,
      hex(secret)
        .replace(/..(?!$)/g, '$&:')
        .toUpperCase(),
    ],
    ['hex with blanks', secret, hex(secret).replace(/..(?!$)/g, '$& ')],
    ['JSON in JSON', secret, JSON.stringify(JSON.stringify(secret))],
    ['JSON in JSON in JSON', secret, JSON.stringify(JSON.stringify(JSON.stringify(secret)))],
    ['JSON in ASCII in JSON', secret, JSON.stringify(JSON.stringify(secret).replace('ä', '\\u00e4'))],
    ['HTML', secret, html(secret)],
    ['HTML twice', secret, html(html(secret))],
    ['JSON in HTML', secret, html(JSON.stringify(secret))],
    ['JSON in a URL', secret, encodeURIComponent(JSON.stringify(secret))],
    ['HTML with decimal references', secret, secret.replace(/./gs, (unit) => `&#${unit.charCodeAt(0)};`)],
    ['HTML with hexadecimal references', secret, unicode(secret).replace(/\\u(....)/g, '&#x$1;')],
    ['HTML of a short secret', 'p"ss\'w&rd', 'p&quot;ss&#39;w&amp;rd'],
    ['base64 of UTF-16', secret, Buffer.from(`x${secret}`, 'utf16le').toString('base64')],
    ['base64 of base64', secret, base64(base64(`me:${secret}`))],
  ])('%s', (_name, value, text) => {
    const redactor = new Redactor()
    redactor.add('KEY', value)
    const hidden = redactor.text(`before ${text} after`)
    expect(hidden).toMatch(/^before .{0,8}\[secret KEY\].{0,12}\s* after$/s)
    expect(Buffer.from(redactor.bytes(Buffer.from(text))).toString()).toContain('[secret KEY]')
  })

  test('no escape leaves half of a secret readable', () => {
    const redactor = new Redactor()
    const value = 'begin-"of\\the-secret&the<end>of\'it'
    redactor.add('KEY', value)
    const named = (text: string): string => text.replaceAll('"', '&quot;')
    for (const outer of [JSON.stringify, encodeURIComponent, html, named])
      for (const inner of [JSON.stringify, encodeURIComponent, html, named]) {
        // HTML in a URL is not decoded.
        if (outer === encodeURIComponent && (inner === html || inner === named)) continue
        const hidden = redactor.text(`x ${outer(inner(value))} x`)
        expect(hidden).toMatch(/^x ["%\d\\]{0,5}(?:&#x22;|&quot;)?\[secret KEY\]\S{0,8} x$/)
      }
  })

  test('does not search fully encoded forms of a short secret', () => {
    const redactor = new Redactor()
    redactor.add('KEY', 'hunter2')
    expect(redactor.text(hex('hunter2'))).toBe(hex('hunter2'))
    expect(redactor.text('hun\nter2')).toBe('hun\nter2')
  })
})

test('FormFinder finds the first and longest match, like a search for each string', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ab'), maxLength: 60 })
  const forms = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 9 }), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(text, forms, fc.nat(10), (text, forms, from) => {
      const finder = new FormFinder()
      for (const form of forms) finder.add(form, form)
      const start = Math.min(...forms.map((form) => text.indexOf(form, from)).filter((at) => at >= 0))
      const longest = forms
        .filter((form) => text.startsWith(form, start))
        .reduce((a, b) => (a.length >= b.length ? a : b), '')
      const expected =
        start === Number.POSITIVE_INFINITY
          ? null
          : { start, end: start + longest.length, replacement: longest }
      expect(finder.next(text, from)).toEqual(expected)
      const suffixStart = [...Array(text.length).keys()].find(
        (at) =>
          at >= from && forms.some((form) => form !== text.slice(at) && form.startsWith(text.slice(at))),
      )
      expect(finder.partialMatchStart(text, from)).toBe(suffixStart ?? text.length)
    }),
    { numRuns: 5_000 },
  )
})

test('the time hardly depends on the number of secrets', () => {
  const few = new Redactor()
  const many = new Redactor()
  for (let index = 0; index < 300; index++) {
    const value = `key-${index}-${hex(String(index * 7_919))}-${base64(String(index))}`
    if (index === 0) few.add('KEY', value)
    many.add('KEY', value)
  }
  const text = 'The quick brown fox jumps over the lazy dog.\n'.repeat(3_000)
  const cost = (redactor: Redactor): number => {
    const start = process.cpuUsage().user
    for (let count = 0; count < 20; count++) redactor.text(text)
    return process.cpuUsage().user - start
  }
  cost(few)
  cost(many)
  expect(cost(many)).toBeLessThan(20 * cost(few) + 200_000)
})
