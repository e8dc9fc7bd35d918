import { fillVariables } from './fill-variables.ts'
import { mentionsSecret, type Reference, splitSecret } from './reference.ts'
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
    fillVariables(text, env, (message) => report(field, message)),
    field,
    report,
  )
}

/** A text that may end with a secret. What a variable holds is never taken for the name of one. */
export function readReference(
  text: string,
  field: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): Reference {
  const found = splitSecret(text)
  if (found === null && mentionsSecret(text)) {
    const hint =
      'letters, digits and _ make its name, and nothing follows it, as in "Bearer secret:GITHUB_TOKEN"'
    report(field, `the secret is not understood: ${hint}`)
  }
  const wrong = (message: string): void => report(field, `${message}, or keep it as a secret: secret:NAME`)
  const before = checkNul(fillVariables(found?.before ?? text, env, wrong), field, report)
  if (found === null) return [before]
  return before === '' ? [{ secret: found.secret }] : [before, { secret: found.secret }]
}

function checkNul(text: string, field: string, report: Report): string {
  if (text.includes('\0')) report(field, 'contains a NUL character')
  return text
}
