import { toUSVString } from 'node:util'
import { CompactText, minCompactLength } from './compact-text.ts'
import { minSecretLength } from './secret-name.ts'

/** The minimum length of a truncated part of a secret that is redacted. */
const minPartLength = 8
/** The minimum length of a secret that is also searched in fully encoded forms. */
const minEncodedLength = 16

/**
 * The forms in which a secret may appear: verbatim, as part of base64 in each of its three alignments, in a URL or a form,
 * in JSON or HTML, cut in two, and if it is long enough, as hex, and as base64 of UTF-16 or of base64. `CompactText` finds
 * other escapes of these forms.
 */
export function secretForms(secret: string): Set<string> {
  const value = toUSVString(secret)
  const trimmed = value.trim()
  // The password of `user:password`.
  const password = trimmed.includes(':') ? trimmed.slice(trimmed.indexOf(':') + 1) : ''
  const whole = new Set([secret, value, trimmed, ...(password.length >= minPartLength ? [password] : [])])
  const forms = [...whole].flatMap((text) => [text, ...inUrl(text), ...inBase64(text)])
  const escaped = forms
    .filter((form) => whole.has(form) || new CompactText(form).text.length < minCompactLength)
    .flatMap((form) => [...inJson(form), ...inHtml(form)])
  const encoded = [...whole].filter((text) => text.length >= minEncodedLength).flatMap(fullyEncoded)
  const all = [...forms, ...escaped, ...encoded, ...halves(trimmed)]
  return new Set(all.filter((form) => form.length >= minSecretLength))
}

function inUrl(text: string): string[] {
  const forms = [
    encodeURIComponent(toUSVString(text)),
    encodeURI(toUSVString(text)),
    text.replace(/[ "#<>'`]/g, encodeURIComponent),
    new URLSearchParams([['', text]]).toString().slice(1),
  ]
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

function inHtml(text: string): string[] {
  const html = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  const quoted = html.replaceAll('"', '&quot;')
  return [html, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))]
}

function inBase64(value: string, encoding?: BufferEncoding): string[] {
  const bytes = Buffer.from(value, encoding)
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // Only the characters that depend on this value alone.
    const core = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
    // A short core would match by chance.
    return core.length < 6 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Some serializers escape `/`, non-ASCII or HTML characters. */
function inJson(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replace(/[^\0-\x7f]/g, unicodeEscape)
  const html = ascii.replace(/[<>&]/g, unicodeEscape)
  return [json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/'), html]
}

function fullyEncoded(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  const separated = [':', ' '].map((separator) => hex.replace(/..(?!$)/g, `$&${separator}`))
  const inHex = [hex, ...separated]
  return [
    ...inHex,
    ...inHex.map((form) => form.toUpperCase()),
    ...inBase64(text, 'utf16le'),
    ...inBase64(text).flatMap((core) => inBase64(core)),
  ]
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A truncation leaves at least one of the halves. */
function halves(value: string): string[] {
  const half = Math.ceil(value.length / 2)
  return half < minPartLength ? [] : [value.slice(0, half), value.slice(-half)]
}
