import { expandVariables } from './expand-variables.ts'
import { mentionsSecret, parseReference, type Reference } from './reference.ts'
import type { Report, ReportKind } from './report.ts'

/** Reads a string with variables but without secrets. `fix` names where secrets are allowed, for the error message. */
export function readPlain(
  text: string,
  field: string,
  fix: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): string {
  if (mentionsSecret(text))
    report(field, `must not contain a secret, which others on this machine could see; ${fix}`)
  return checkNul(
    expandVariables(text, env, (message, kind) => report(field, message, kind)),
    field,
    report,
  )
}

/** Reads a string with references to secrets. The value of a variable is never parsed for references. */
export function readReference(
  text: string,
  field: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
  isUrl = false,
): Reference {
  const reportVariable = (message: string, kind?: ReportKind): void =>
    report(field, `${message}, or use a secret: secret:NAME`, kind)
  return parseReference(text, isUrl).map((part) => {
    if (typeof part !== 'string') return part
    if (mentionsSecret(part)) {
      const shape = isUrl
        ? '{secret:NAME} in the path or query, as in "https://example.com/mcp?key={secret:API_KEY}"'
        : 'secret:NAME as the last word, as in "Bearer secret:GITHUB_TOKEN", or {secret:NAME} anywhere'
      report(field, `expected ${shape}, where NAME has letters, digits and _`)
    }
    return checkNul(expandVariables(part, env, reportVariable), field, report)
  })
}

function checkNul(text: string, field: string, report: Report): string {
  if (text.includes('\0')) report(field, 'contains a NUL character')
  return text
}
