const place = /\$(?:\$|\{([^}]*)\}?|([A-Za-z_][A-Za-z0-9_]*))/g
const braced = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^$]*))?$/

/**
 * Fills in `$VAR`, `${VAR}` and, where it is not set or empty, `${VAR:-default}`; `$$` is a dollar, and so is one that no name
 * follows. What cannot be filled in is reported.
 */
export function expandVariables(
  text: string,
  env: Readonly<NodeJS.ProcessEnv>,
  wrong: (message: string) => void,
): string {
  return text.replace(place, (found: string, inBraces: string | undefined, bare: string | undefined) => {
    if (found === '$$') return '$'
    const [, name, fallback] = bare === undefined ? (braced.exec(inBraces ?? '') ?? []) : ['', bare]
    if (name === undefined || (bare === undefined && !found.endsWith('}'))) {
      wrong(`${found} is not understood; ${hintFor(inBraces ?? '')}`)
      return found
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
    if (value === undefined) wrong(`the variable ${name} is not set; set it, or write \${${name}:-default}`)
    return value ?? found
  })
}

function hintFor(inBraces: string): string {
  const [, name] = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(inBraces) ?? []
  return name === undefined
    ? 'write $VAR, ${VAR} or ${VAR:-default}, and $$ for a dollar'
    : `write \${${name}}`
}
