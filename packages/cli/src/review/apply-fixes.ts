import { stat } from 'node:fs/promises'
import { messageOf } from '@curfew/core/internal'
import { readToolFile, replaceFile, type ToolFileFormat } from '@curfew/extensions/internal'
import { editOf } from './edit-of.ts'
import { applyEdit } from './json-edit.ts'
import { type JsonDocument, parseDocument } from './read-json-document.ts'
import type { ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'

export interface AppliedFix {
  readonly tool: string
  readonly file: string
  readonly rule: string
  readonly rewrite: string
}

export interface AppliedFixes {
  readonly fixed: readonly AppliedFix[]
  /** Files that could not be changed, and why. */
  readonly failed: readonly string[]
}

/** Writes what is safe to write into our own files. Nothing else is touched. */
export async function applyFixes(sets: readonly ReportedSet[]): Promise<AppliedFixes> {
  const fixed: AppliedFix[] = []
  const failed: string[] = []
  for (const tool of sets.flatMap(({ tools }) => tools)) {
    const { origin } = tool.source
    const file = origin?.document.file
    if (origin === null || file === null || file === undefined) continue
    if (origin.format !== 'script' && origin.format !== 'api') continue
    const { text, done } = fixTool(tool, origin.document, origin.format, file)
    if (done.length === 0) continue
    try {
      const mode = (await stat(file)).mode & 0o777
      // To replace a file it need not be writable, but somebody meant it.
      if ((mode & 0o222) === 0) throw new Error('it is read-only')
      await replaceFile(file, text, mode)
      fixed.push(...done.map(({ rule, rewrite }) => ({ tool: tool.name, file, rule, rewrite })))
    } catch (error) {
      failed.push(`${file} cannot be written: ${messageOf(error)}`)
    }
  }
  return { fixed, failed }
}

interface FixedText {
  readonly text: string
  readonly done: readonly ReportedFinding[]
}

function fixTool(
  { findings }: ReportedTool,
  document: JsonDocument,
  format: ToolFileFormat,
  file: string,
): FixedText {
  const isGood = (text: string): boolean => isUsable(text, format, file)
  // To load a large tool takes long: all at once, and one by one only if one of them does harm.
  const all = fixText(document.text, findings, format, () => true)
  return all.done.length === 0 || isGood(all.text) ? all : fixText(document.text, findings, format, isGood)
}

function fixText(
  original: string,
  findings: readonly ReportedFinding[],
  format: ToolFileFormat,
  isGood: (text: string) => boolean,
): FixedText {
  let text = original
  const done: ReportedFinding[] = []
  for (const finding of findings) {
    const pointer = finding.fix?.pointer
    if (pointer === undefined || !finding.fixable) continue
    // What another has changed already is looked at again in the next round.
    if (done.some(({ fix }) => overlap(fix!.pointer, pointer))) continue
    const edit = editOf(text, format, finding)
    if (edit === null) continue
    const changed = applyEdit(text, edit)
    if (changed === text || !isGood(changed)) continue
    text = changed
    done.push(finding)
  }
  return { text, done }
}

function overlap(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`)
}

/** A tool that works must not stop working. */
function isUsable(text: string, format: ToolFileFormat, file: string): boolean {
  try {
    return readToolFile(format, parseDocument(text), file).problems.every(
      ({ severity }) => severity === 'warning',
    )
  } catch {
    return false
  }
}
