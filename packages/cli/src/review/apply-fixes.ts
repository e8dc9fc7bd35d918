import { stat } from 'node:fs/promises'
import { messageOf, replaceFile } from '@curfew/core/internal'
import { applyEdit, parseJsonc, readToolFile, type ToolFileFormat } from '@curfew/extensions/internal'
import { fixEdit } from './fix-edit.ts'
import type { JsonDocument } from './read-json-document.ts'
import type { ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'

export interface AppliedFix {
  readonly tool: string
  readonly file: string
  readonly rule: string
  readonly rewrite: string
}

export interface AppliedFixes {
  readonly fixed: readonly AppliedFix[]
  /** Messages about files that could not be changed. */
  readonly failed: readonly string[]
}

/** Applies safe fixes to tool.json and API files. */
export async function applyFixes(sets: readonly ReportedSet[]): Promise<AppliedFixes> {
  const fixed: AppliedFix[] = []
  const failed: string[] = []
  for (const tool of sets.flatMap(({ tools }) => tools)) {
    const { origin } = tool.source
    const file = origin?.document.file
    if (origin === null || file === null || file === undefined) continue
    if (origin.format !== 'script' && origin.format !== 'api') continue
    const { text, applied } = fixTool(tool, origin.document, origin.format, file)
    if (applied.length === 0) continue
    try {
      const mode = (await stat(file)).mode & 0o777
      // Replacing a file does not need write permission, but its owner made it read-only on purpose.
      if ((mode & 0o222) === 0) throw new Error('it is read-only')
      await replaceFile(file, text, mode)
      fixed.push(
        ...applied.map(({ rule, rewrite, message }) => ({
          tool: tool.name,
          file,
          rule,
          rewrite: rewrite ?? message,
        })),
      )
    } catch (error) {
      failed.push(`${file} cannot be written: ${messageOf(error)}`)
    }
  }
  return { fixed, failed }
}

interface FixedText {
  readonly text: string
  readonly applied: readonly ReportedFinding[]
}

function fixTool(
  { findings }: ReportedTool,
  document: JsonDocument,
  format: ToolFileFormat,
  file: string,
): FixedText {
  const accepts = (text: string): boolean => isUsable(text, format, file)
  // Loading a large tool is slow, so all fixes are checked together, and one by one only if that fails.
  const all = fixText(document.text, findings, format, () => true)
  return all.applied.length === 0 || accepts(all.text)
    ? all
    : fixText(document.text, findings, format, accepts)
}

function fixText(
  original: string,
  findings: readonly ReportedFinding[],
  format: ToolFileFormat,
  accepts: (text: string) => boolean,
): FixedText {
  let text = original
  const applied: ReportedFinding[] = []
  for (const finding of findings) {
    const pointer = finding.fix?.pointer
    if (pointer === undefined || !finding.fixable) continue
    // A value that another fix has already changed is reviewed again in the next round.
    if (applied.some(({ fix }) => overlap(fix!.pointer, pointer))) continue
    const edit = fixEdit(text, format, finding)
    if (edit === null) continue
    const changed = applyEdit(text, edit)
    if (changed === text || !accepts(changed)) continue
    text = changed
    applied.push(finding)
  }
  return { text, applied }
}

function overlap(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`)
}

/** A fix must not break a tool that works. */
function isUsable(text: string, format: ToolFileFormat, file: string): boolean {
  try {
    return readToolFile(format, parseJsonc(text).value, file).problems.every(
      ({ severity }) => severity === 'warning',
    )
  } catch {
    return false
  }
}
