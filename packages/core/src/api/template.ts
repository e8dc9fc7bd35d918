/** Text with places for parameters: every second part is a parameter's name. */
export type Template = readonly string[]

/** `null` if a brace has no partner or nothing stands between two. */
export function parseTemplate(text: string): Template | null {
  const parts = text.split(/\{([^{}\s"':,]+)\}/)
  return parts.some((part, index) => index % 2 === 0 && /[{}]/.test(part)) ? null : parts
}

/** As in headers, where braces may be anything. */
export function parseLooseTemplate(text: string): Template {
  return text.split(/\{([^{}\s"':,]+)\}/)
}

export function placesOf(template: Template): readonly string[] {
  return template.filter((_, index) => index % 2 === 1)
}

export function fill(template: Template, textFor: (name: string) => string): string {
  let text = template[0]!
  for (let index = 1; index < template.length; index += 2)
    text += textFor(template[index]!) + template[index + 1]!
  return text
}
