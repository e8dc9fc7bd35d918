import { editJson, type TextEdit, type ToolFileFormat } from '@curfew/extensions/internal'
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
