import type { Finding } from '@curfew/review'

/** The change that `--fix` makes, as a rewrite: the new text, `"key": value`, or `remove "key"`. */
export function describeFix({ pointer, value }: NonNullable<Finding['fix']>): string {
  if (typeof value === 'string' && /^\/(name|description|usage)$/.test(pointer)) return value
  const key = pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  return value === undefined
    ? `remove ${JSON.stringify(key)}`
    : `${JSON.stringify(key)}: ${JSON.stringify(value)}`
}
