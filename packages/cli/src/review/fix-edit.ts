import { editJson, type TextEdit, type ToolFileFormat } from '@curfew/extensions/internal'
import type { Finding } from '@curfew/review'
import { exactPointer } from './file-pointer.ts'
import type { ReportedFinding } from './review-source.ts'

/** The edit that applies a finding's fix to its file, or `null` if it has none. */
export function fixEdit(
  text: string,
  format: ToolFileFormat,
  { fix }: Pick<ReportedFinding, 'fix'>,
): TextEdit | null {
  if (fix === undefined) return null
  const pointer = exactPointer(format, fix.pointer)
  return pointer === null ? null : editJson(text, pointer, fix.value)
}

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
