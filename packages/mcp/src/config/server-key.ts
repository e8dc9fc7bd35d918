import { createHash } from 'node:crypto'
import { canonicalJson } from '@curfew/core/internal'

/** The base name of the files that are kept about a server. A project's server may have the same name as one of the user's. */
export function serverKey({ name, root }: { readonly name: string; readonly root: string }): string {
  const hash = createHash('sha256')
    .update(canonicalJson([root, name]))
    .digest('hex')
  return `${name}-${hash.slice(0, 8)}`
}
