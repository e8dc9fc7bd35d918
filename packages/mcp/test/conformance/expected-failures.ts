const tasks = 'the extension io.modelcontextprotocol/tasks, which the SDK does not serve'

/** Scenarios that are expected to fail, with the reason. Only unscored ones are allowed. */
export const expectedFailures: Readonly<Record<string, string>> = {
  'tasks-lifecycle': tasks,
  'tasks-capability-negotiation': tasks,
  'tasks-wire-fields': tasks,
  'tasks-request-state-removal': tasks,
  'tasks-mrtr-input': tasks,
  'tasks-request-headers': tasks,
  'tasks-dispatch-and-envelope': tasks,
  'tasks-required-task-error': tasks,
  'tasks-mrtr-composition': tasks,
}

const unattended = 'a grant for machines; Curfew supports only the sign-in of a person'
const bound = 'DPoP; Curfew requests bearer tokens, which every server accepts'

/** The same for our client. */
export const expectedClientFailures: Readonly<Record<string, string>> = {
  'auth/client-credentials-jwt': unattended,
  'auth/client-credentials-basic': unattended,
  'auth/enterprise-managed-authorization': unattended,
  'auth/wif-jwt-bearer': unattended,
  'auth/dpop': bound,
  'auth/dpop-nonce': bound,
}
