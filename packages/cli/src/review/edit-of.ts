import type { ToolFileFormat } from '@curfew/core/extensions'
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
  if (pointer === null) return null
  // The prefix is put before it when it is loaded.
  const isName = pointer === '/name' && typeof fix.value === 'string'
  return editJson(text, pointer, isName ? (fix.value as string).replace(/^(script|api)_/, '') : fix.value)
}
