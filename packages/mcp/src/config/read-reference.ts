import { expandVariables } from './expand-variables.ts'
import { mentionsSecret, parseReference, type Reference } from './reference.ts'
import type { Report } from './report.ts'

/** A text in which variables are filled in, and secrets have no place. `instead` says where they have. */
export function readPlain(
  text: string,
  field: string,
  instead: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): string {
  if (mentionsSecret(text)) report(field, `others on this machine could see the secret; ${instead}`)
  return checkNul(
    expandVariables(text, env, (message) => report(field, message)),
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
  const wrong = (message: string): void => report(field, `${message}, or keep it as a secret: secret:NAME`)
  return parseReference(text, isUrl).map((part) => {
    if (typeof part !== 'string') return part
    if (mentionsSecret(part)) {
      const shape = isUrl
        ? '{secret:NAME} in the path or query, as in "https://example.com/mcp?key={secret:API_KEY}"'
        : 'secret:NAME as the last word, as in "Bearer secret:GITHUB_TOKEN", or {secret:NAME} anywhere'
      report(field, `expected ${shape}, where NAME has letters, digits and _`)
    }
    return checkNul(expandVariables(part, env, wrong), field, report)
  })
}

function checkNul(text: string, field: string, report: Report): string {
  if (text.includes('\0')) report(field, 'contains a NUL character')
  return text
}
