import { createHash } from 'node:crypto'
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TextEdit } from '@curfew/extensions/internal'
import { rules, sourceRules } from '@curfew/review'
import { neutralise } from '../terminal.ts'
import { newFindingsOf } from './compare/compare-reports.ts'
import { fixEdit } from './fix-edit.ts'
import { messageWithCount } from './group-lines.ts'
import type { Report } from './review-report.ts'
import type { Location, ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'
import { judgementPrefix } from './review-source.ts'

const maxMessageLength = 4_000

/** `--sarif`: SARIF 2.1.0 for code scanning services. */
export function sarifReport({ sets, stale, complete, comparison }: Report, version: string): string {
  const all = [...sourceRules, ...rules]
  const index = new Map(all.map(({ id }, at) => [id, at]))
  const added = comparison && newFindingsOf(comparison)
  const isNew = (finding: ReportedFinding): boolean => !finding.known && added?.has(finding) !== false
  const result = (finding: ReportedFinding, about: object, suppressions: readonly object[]): object => ({
    ...about,
    ruleIndex: index.get(finding.rule),
    // SARIF requires both properties on all results or on none.
    suppressions,
    ...((stale !== null || added !== null) && { baselineState: isNew(finding) ? 'new' : 'unchanged' }),
  })
  const run = {
    tool: {
      driver: {
        name: 'curfew review',
        semanticVersion: version,
        rules: all.map(({ id, severity, summary }) => ({
          id,
          shortDescription: { text: summary },
          // SARIF uses the same three levels.
          defaultConfiguration: { level: severity },
        })),
      },
    },
    columnKind: 'utf16CodeUnits',
    invocations: [{ executionSuccessful: complete }],
    results: sets.flatMap((set) => [
      ...set.findings.map((finding) => result(finding, resultOfSet(set, finding), [])),
      ...set.tools.flatMap((tool) => [
        ...tool.findings.map((finding) => result(finding, resultOfTool(tool, finding), [])),
        ...tool.suppressed.map(({ finding, reason }) =>
          result(finding, resultOfTool(tool, finding), [
            { kind: reason.startsWith(judgementPrefix) ? 'external' : 'inSource', justification: reason },
          ]),
        ),
      ]),
    ]),
  }
  const document = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(document, null, 2)}\n`
}

function resultOfTool(tool: ReportedTool, finding: ReportedFinding): object {
  const { rule, rewrite, pointer } = finding
  const fix = fixOf(tool, finding)
  const suggestion = rewrite === null ? '' : `\nSuggestion: ${rewrite}`
  const place = { name: tool.name, fullyQualifiedName: tool.name + pointer, kind: 'function' }
  return {
    ...resultOf(finding, `${tool.name}: ${messageWithCount(finding)}${suggestion}`, place),
    partialFingerprints: { 'curfewFinding/v1': fingerprint(tool.name, rule, pointer) },
    ...(fix !== null && { fixes: [fix] }),
  }
}

function resultOfSet({ name, pattern }: ReportedSet, finding: ReportedFinding): object {
  const { message, rule, pointer } = finding
  return {
    ...resultOf(finding, message, { name, kind: 'module' }),
    partialFingerprints: { 'curfewFinding/v1': fingerprint(pattern, rule, pointer) },
  }
}

function resultOf({ rule, severity, location, count }: ReportedFinding, text: string, place: object): object {
  return {
    ruleId: rule,
    level: severity,
    message: sarifMessage(text),
    ...(count > 1 && { occurrenceCount: count }),
    locations: [
      {
        ...(location !== null && { physicalLocation: physicalLocation(location) }),
        logicalLocations: [place],
      },
    ],
  }
}

/** Escapes braces (placeholders) and brackets before a parenthesis (links), see sections 3.11.5 and 3.11.6. */
function sarifMessage(text: string): { readonly text: string } {
  const plain = neutralise(text.slice(0, maxMessageLength))
  return { text: plain.replace(/[{}]/g, '$&$&').replaceAll('](', '] (') }
}

function physicalLocation({ file, line }: Location): object {
  return { artifactLocation: artifactLocation(file), region: { startLine: line } }
}

/** Relative to the working directory, so that it is the same on every machine. */
function artifactLocation(file: string): object {
  const path = relative(process.cwd(), resolve(file))
  if (path.startsWith('..') || resolve(path) === path) return { uri: pathToFileURL(resolve(file)).href }
  return { uri: path.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' }
}

function fixOf({ source }: ReportedTool, finding: ReportedFinding): object | null {
  const { origin } = source
  if (origin === null || !finding.fixable) return null
  const { format, document } = origin
  if (document.file === null || (format !== 'script' && format !== 'api')) return null
  const edit = fixEdit(document.text, format, finding)
  if (edit === null) return null
  const replacements = [{ deletedRegion: region(document.text, edit), insertedContent: { text: edit.text } }]
  return {
    description: sarifMessage(finding.rewrite ?? finding.message),
    artifactChanges: [{ artifactLocation: artifactLocation(document.file), replacements }],
  }
}

function region(text: string, { start, end }: TextEdit): object {
  const [startLine, startColumn] = position(text, start)
  const [endLine, endColumn] = position(text, end)
  return { startLine, startColumn, endLine, endColumn }
}

/** Line and column, both from 1. */
function position(text: string, at: number): [line: number, column: number] {
  const before = text.slice(0, at)
  return [before.split('\n').length, at - before.lastIndexOf('\n')]
}

function fingerprint(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
