import { processIdentity } from './process-identity.ts'

/** In the environment of every command. */
export const runtimeMarker: { readonly name: string; readonly value: string } = {
  name: 'CURFEW_RUNTIME',
  // The time makes it unique per thread, without loading node:crypto.
  value: `${processIdentity}-${process.hrtime.bigint()}`,
}
