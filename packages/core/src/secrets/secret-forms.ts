import { toUSVString } from 'node:util'
import { shortestSecret } from './secret-name.ts'

/** A part of a secret that is left where a text was cut is hidden too, if it is that long. */
const shortestPart = 8
/** From here on a secret is looked for in forms that only a program makes of it. */
const shortestEncoded = 16

/**
 * In which ways a secret may appear in a text: as it is, as a part of base64 in each of its three positions, in a URL
 * or a form, in JSON, cut in two, and if it is long enough as hex, as `\uXXXX` and as `%XX` throughout.
 */
export function secretForms(given: string): Set<string> {
  const value = toUSVString(given)
  const trimmed = value.trim()
  // A password behind its user.
  const password = trimmed.includes(':') ? trimmed.slice(trimmed.indexOf(':') + 1) : ''
  const whole = new Set([given, value, trimmed, ...(password.length >= shortestPart ? [password] : [])])
  const forms = [...whole].flatMap((text) => [text, ...inUrl(text), ...inBase64(text)])
  const encoded = [...whole].filter((text) => text.length >= shortestEncoded).flatMap(encodedThroughout)
  const all = [...forms, ...forms.flatMap(inJson), ...encoded, ...halves(trimmed)]
  return new Set(all.filter((form) => form.length >= shortestSecret))
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
    // Only the characters that this value alone decides.
    const core = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
    // A short core would be found in anything.
    return core.length < 6 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Some writers escape `/`, what is not ASCII, or what means something in HTML. */
function inJson(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replace(/[^\0-\x7f]/g, unicodeEscape)
  const html = ascii.replace(/[<>&]/g, unicodeEscape)
  return [json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/'), html]
}

function encodedThroughout(text: string): string[] {
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

/** What a cut through the middle leaves, at the least. */
function halves(value: string): string[] {
  const half = Math.ceil(value.length / 2)
  return half < shortestPart ? [] : [value.slice(0, half), value.slice(-half)]
}
