import { processIdentity } from './process-identity.ts'

/** Every command has this in its environment. */
export const runtimeMarker: { readonly name: string; readonly value: string } = {
  name: 'CURFEW_RUNTIME',
  // Each thread of a process has its own: hence the time, and without loading node:crypto for it.
  value: `${processIdentity}-${process.hrtime.bigint()}`,
}
