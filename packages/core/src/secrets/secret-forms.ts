import { toUSVString } from 'node:util'
import { minSecretLength } from './secret-name.ts'

/** The minimum length of a truncated part of a secret that is redacted. */
const minPartLength = 8
/** The minimum length of a secret that is also searched in fully encoded forms. */
const minEncodedLength = 16

/**
 * The forms in which a secret may appear: verbatim, as part of base64 in each of its three alignments, in a URL or a form,
 * in JSON, cut in two, and if it is long enough, fully encoded as hex, `\uXXXX` or `%XX`.
 */
export function secretForms(secret: string): Set<string> {
  const value = toUSVString(secret)
  const trimmed = value.trim()
  // The password of `user:password`.
  const password = trimmed.includes(':') ? trimmed.slice(trimmed.indexOf(':') + 1) : ''
  const whole = new Set([secret, value, trimmed, ...(password.length >= minPartLength ? [password] : [])])
  const forms = [...whole].flatMap((text) => [text, ...inUrl(text), ...inBase64(text)])
  const encoded = [...whole].filter((text) => text.length >= minEncodedLength).flatMap(fullyEncoded)
  const all = [...forms, ...forms.flatMap(inJson), ...encoded, ...halves(trimmed)]
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

function inBase64(value: string): string[] {
  const bytes = Buffer.from(value)
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
  const percent = hex.replace(/../g, '%$&')
  const unicode = text.replace(/./gs, unicodeEscape)
  const upper = (code: string): string => code.toUpperCase()
  return [
    hex,
    hex.toUpperCase(),
    percent,
    percent.toUpperCase(),
    unicode,
    unicode.replace(/[a-f0-9]{4}/g, upper),
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
