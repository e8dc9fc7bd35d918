/** A string with placeholders: every second part is the name of a parameter, or `secret:NAME`. */
export type Template = readonly string[]

const placeholder = /\{(secret:[A-Za-z_][A-Za-z0-9_]{0,127}|[^{}\s"':,]+)\}/

/** Returns `null` if there is an unmatched brace or an empty placeholder. */
export function parseTemplate(text: string): Template | null {
  const parts = text.split(placeholder)
  return parts.some((part, index) => index % 2 === 0 && /[{}]/.test(part)) ? null : parts
}

/** Braces that are not placeholders are kept, for values such as headers. */
export function parseLooseTemplate(text: string): Template {
  return text.split(placeholder)
}

/** The names of the parameters in a template. */
export function templateParameters(template: Template): readonly string[] {
  return template.filter((part, index) => index % 2 === 1 && placeholderSecret(part) === null)
}

/** The names of the secrets in a template. */
export function templateSecrets(template: Template): readonly string[] {
  return template.flatMap((part, index) => (index % 2 === 1 ? (placeholderSecret(part) ?? []) : []))
}

/** The name of the secret in a placeholder, or `null` for a parameter, whose name cannot contain a colon. */
export function placeholderSecret(name: string): string | null {
  return name.startsWith('secret:') ? name.slice('secret:'.length) : null
}

export function fillTemplate(template: Template, valueFor: (name: string) => string): string {
  let text = template[0]!
  for (let index = 1; index < template.length; index += 2)
    text += valueFor(template[index]!) + template[index + 1]!
  return text
}
