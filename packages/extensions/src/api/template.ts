/** A string with placeholders: every second part is the name of a parameter, or `secret:NAME`. */
export type Template = readonly string[]

const place = /\{(secret:[A-Za-z_][A-Za-z0-9_]{0,127}|[^{}\s"':,]+)\}/

/** `null` if a brace has no partner or nothing stands between two. */
export function parseTemplate(text: string): Template | null {
  const parts = text.split(place)
  return parts.some((part, index) => index % 2 === 0 && /[{}]/.test(part)) ? null : parts
}

/** As in headers, where braces may be anything. */
export function parseLooseTemplate(text: string): Template {
  return text.split(place)
}

/** The parameters that it uses. */
export function placesOf(template: Template): readonly string[] {
  return template.filter((part, index) => index % 2 === 1 && secretOf(part) === null)
}

/** The secrets that it uses. */
export function secretsIn(template: Template): readonly string[] {
  return template.flatMap((part, index) => (index % 2 === 1 ? (secretOf(part) ?? []) : []))
}

/** The name of the secret of a placeholder, or `null` for a parameter, whose name cannot contain a colon. */
export function secretOf(place: string): string | null {
  return place.startsWith('secret:') ? place.slice('secret:'.length) : null
}

export function fill(template: Template, textFor: (place: string) => string): string {
  let text = template[0]!
  for (let index = 1; index < template.length; index += 2)
    text += textFor(template[index]!) + template[index + 1]!
  return text
}
