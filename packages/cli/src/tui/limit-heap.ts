import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap from growing far beyond what is used: V8 is tuned for servers, and lets the part for new objects alone grow to 130 MB
 * while a model writes. From now on, that part stays as it is, and a collection starts when half as much has been added to the rest.
 */
export function limitHeap(): void {
  // Flags of V8 are no stable interface, and unknown ones print an error.
  if (!testedVersions.includes(process.versions.node.split('.')[0]!)) return
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=50')
}

const testedVersions = ['22', '24']
