const tasks = 'the extension io.modelcontextprotocol/tasks, which the SDK does not serve'

/** Scenarios that may fail, each with its reason. Only what the suite does not score may stand here. */
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

const unattended = 'a grant for machines, without a person; Curfew signs in people'
const bound = 'DPoP; Curfew asks for bearer tokens, which every server takes'

/** The same for our client. */
export const expectedClientFailures: Readonly<Record<string, string>> = {
  'auth/client-credentials-jwt': unattended,
  'auth/client-credentials-basic': unattended,
  'auth/enterprise-managed-authorization': unattended,
  'auth/wif-jwt-bearer': unattended,
  'auth/dpop': bound,
  'auth/dpop-nonce': bound,
}
