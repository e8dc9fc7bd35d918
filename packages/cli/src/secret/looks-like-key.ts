const keyName = /key|token|secret|passw|pwd|sig(?!nal)|session|cred|auth|cookie|^pass$|^appid$/i
/** Common names that only look like the name of a key. */
const harmlessName = /idempotency-key|keywords?|max_(?:\w+_)?tokens|authors?(?!i)|assign|design/gi
const knownKey =
  /^(?:(?:sk|pk|rk)[-_]|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|npm_|hf_|ya29\.|eyJ[A-Za-z0-9_-]+\.)|^(?:Bearer|Basic|Token)\s+\S/
/** `postgres://me:pass@host/db` */
const loginInUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:[^/?#\s@]+@/i
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const minRandomLength = 20
const minPartLength = 16

/** Does the name suggest that the value is secret? */
export function isKeyName(name: string): boolean {
  return keyName.test(name.replaceAll(harmlessName, ''))
}

/** Does the value look like a key, whatever its name? */
export function isKeyValue(value: string): boolean {
  return knownKey.test(value) || loginInUrl.test(value) || isRandom(value)
}

/** Is this a key, judging by its name or its value? */
export function looksLikeKey(name: string, value: string): boolean {
  if (isKeyValue(value)) return true
  const isPlain = /^(?:true|false|[\d.]+|[./~@-].*|https?:.*)$/i.test(value)
  // People choose shorter passwords than services choose keys.
  const minLength = /passw|pwd|^pass$/i.test(name) ? 4 : 8
  return isKeyName(name) && value.length >= minLength && !isPlain
}

/** A random string has much shorter runs of letters and digits than words and numbers. */
function isRandom(text: string): boolean {
  if (text.length < minRandomLength || !/^[\w+=~.:-]+$/.test(text) || uuid.test(text)) return false
  return text.split(/[-.:=+~]/).some((part) => {
    if (part.length < minPartLength || !/\d/.test(part) || !/[A-Za-z]/.test(part)) return false
    const runs = part.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? []
    return part.replaceAll('_', '').length / runs.length < 2.8
  })
}
