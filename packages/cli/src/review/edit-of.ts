import type { ToolFileFormat } from '@curfew/extensions/internal'
import { exactPointer } from './file-pointer.ts'
import { editJson, type TextEdit } from './json-edit.ts'
import type { ReportedFinding } from './review-source.ts'

/** The change that a finding's fix is in its file, or `null`. */
export function editOf(
  text: string,
  format: ToolFileFormat,
  { fix }: Pick<ReportedFinding, 'fix'>,
): TextEdit | null {
  if (fix === undefined) return null
  const pointer = exactPointer(format, fix.pointer)
  return pointer === null ? null : editJson(text, pointer, fix.value)
}
