import { canonicalJson } from '../json/canonical-json.ts'

const placeholder = /\{([^{}]+)\}/

/**
 * A tool's `resources` from strings: in `file:{path}`, the parameter `path` is filled in, as JSON unless it is a string. If a parameter is
 * missing, it is unknown what the call uses.
 */
export function resourceTemplates(
  templates: readonly string[],
): (params: unknown) => readonly string[] | undefined {
  const parsed = templates.map((template) => template.split(placeholder))
  return (params) => {
    const keys: string[] = []
    for (const parts of parsed) {
      const key = fill(parts, Object(params))
      if (key === undefined) return undefined
      keys.push(key)
    }
    return keys
  }
}

/** The names of the parameters in the templates. */
export function templateParameters(templates: readonly string[]): string[] {
  return templates.flatMap((template) => template.split(placeholder).filter((_, index) => index % 2 === 1))
}

function fill(parts: readonly string[], params: Readonly<Record<string, unknown>>): string | undefined {
  let key = parts[0]!
  for (let index = 1; index < parts.length; index += 2) {
    const name = parts[index]!
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    if (value === undefined || value === null) return undefined
    key += (typeof value === 'string' ? value : canonicalJson(value)) + parts[index + 1]!
  }
  return key
}
