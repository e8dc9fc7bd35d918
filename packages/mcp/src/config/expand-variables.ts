import type { ReportKind } from './report.ts'

const variable = /\$(?:\$|\{([^}]*)\}?|([A-Za-z_][A-Za-z0-9_]*))/g
const braced = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^$]*))?$/

/**
 * Expands `$VAR`, `${VAR}` and `${VAR:-default}`, whose default is used if the variable is unset or empty. `$$` is a literal dollar,
 * and so is a dollar without a name. A variable that cannot be expanded is reported, with its name if it is just not set.
 */
export function expandVariables(
  text: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: (message: string, kind?: ReportKind) => void,
): string {
  return text.replace(variable, (found: string, inBraces: string | undefined, bare: string | undefined) => {
    if (found === '$$') return '$'
    const [, name, fallback] = bare === undefined ? (braced.exec(inBraces ?? '') ?? []) : ['', bare]
    if (name === undefined || (bare === undefined && !found.endsWith('}'))) {
      report(`invalid variable ${found}; ${hintFor(inBraces ?? '')}`)
      return found
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
    if (value === undefined)
      report(`the variable ${name} is not set; set it, or write \${${name}:-default}`, { unset: name })
    return value ?? found
  })
}

function hintFor(inBraces: string): string {
  const [, name] = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(inBraces) ?? []
  return name === undefined
    ? 'write $VAR, ${VAR} or ${VAR:-default}, and $$ for a literal dollar'
    : `write \${${name}}`
}
