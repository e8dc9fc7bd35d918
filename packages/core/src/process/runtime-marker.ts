/** Every command that is not held by a cgroup has this in its environment. */
export const runtimeMarker: { readonly name: string; readonly value: string } = {
  name: 'CURFEW_RUNTIME',
  // Unique on this machine, and without loading node:crypto for it.
  value: `${process.pid}-${process.hrtime.bigint()}`,
}
