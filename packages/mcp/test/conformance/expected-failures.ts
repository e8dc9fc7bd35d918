const unknownTools = 'calls tools with tasks, which the fixture does not have; the fixture for tasks has them'
const listedName =
  'searches tools/list for the name of a tool at its server; the gateway lists it with the name of the server'

/** Scenarios that fail with every server that has no tasks. Only unscored ones are allowed. */
export const withoutTasks: Readonly<Record<string, string>> = {
  'tasks-lifecycle': unknownTools,
  'tasks-capability-negotiation': unknownTools,
  'tasks-wire-fields': unknownTools,
  'tasks-request-state-removal': unknownTools,
  'tasks-mrtr-input': unknownTools,
  'tasks-request-headers': unknownTools,
  'tasks-dispatch-and-envelope': unknownTools,
  'tasks-required-task-error': unknownTools,
  'tasks-mrtr-composition': unknownTools,
}

/** Scenarios that fail only with the gateway's default names of tools, but not with `--unprefixed`. */
export const withPrefix: Readonly<Record<string, string>> = { 'json-schema-2020-12': listedName }

/** Scenarios that fail with a server that has tasks only behind the gateway. */
export const withTasks: Readonly<Record<string, string>> = {
  'tasks-required-task-error':
    'expects that a tool with tasks cannot be called without; the gateway waits for the task',
}

const unattended = 'a grant for machines; Curfew supports only the sign-in of a person'
const bound = 'DPoP; Curfew requests bearer tokens, which every server accepts'

/** Scenarios for clients that are expected to fail. */
export const expectedClientFailures: Readonly<Record<string, string>> = {
  'auth/client-credentials-jwt': unattended,
  'auth/client-credentials-basic': unattended,
  'auth/enterprise-managed-authorization': unattended,
  'auth/wif-jwt-bearer': unattended,
  'auth/dpop': bound,
  'auth/dpop-nonce': bound,
}
