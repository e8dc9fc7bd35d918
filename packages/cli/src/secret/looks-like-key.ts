const keyName = /key|token|secret|passw|pwd|sig(?!nal)|session|cred|auth|cookie|^pass$|^appid$/i
/** Common names that only look like one. */
const harmlessName = /idempotency-key|keywords?|max_(?:\w+_)?tokens|authors?(?!i)|assign|design/gi
const knownKey =
  /^(?:(?:sk|pk|rk)[-_]|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|npm_|hf_|ya29\.|eyJ[A-Za-z0-9_-]+\.)|^(?:Bearer|Basic|Token)\s+\S/
/** `postgres://me:pass@host/db` */
const loginInUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:[^/?#\s@]+@/i
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const shortestRandom = 20
const shortestPiece = 16

/** Is a value of this name one that is kept secret? */
export function isKeyName(name: string): boolean {
  return keyName.test(name.replaceAll(harmlessName, ''))
}

/** Is this a key, whatever it is called? */
export function isKeyValue(value: string): boolean {
  return knownKey.test(value) || loginInUrl.test(value) || isRandom(value)
}

/** Is this a key, by what it is called or by what it looks like? */
export function looksLikeKey(name: string, value: string): boolean {
  if (isKeyValue(value)) return true
  const isPlain = /^(?:true|false|[\d.]+|[./~@-].*|https?:.*)$/i.test(value)
  return isKeyName(name) && value.length >= 8 && !isPlain
}

/** Made by chance, not of words: words and numbers are longer than the bits that a random text falls into. */
function isRandom(text: string): boolean {
  if (text.length < shortestRandom || !/^[\w+=~.:-]+$/.test(text) || uuid.test(text)) return false
  return text.split(/[-.:=+~]/).some((piece) => {
    if (piece.length < shortestPiece || !/\d/.test(piece) || !/[A-Za-z]/.test(piece)) return false
    const bits = piece.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? []
    return piece.replaceAll('_', '').length / bits.length < 2.8
  })
}
