import { createHash } from 'node:crypto'
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rules, sourceRules } from '@curfew/review'
import { neutralise } from '../terminal.ts'
import { editOf } from './edit-of.ts'
import type { TextEdit } from './json-edit.ts'
import type { Report } from './report.ts'
import type { Place, ReportedFinding, ReportedTool } from './review-source.ts'

/** Of a message. */
const maxTextLength = 4_000

/** SARIF 2.1.0, as code scanning services read it. */
export function sarifReport({ sets, stale, complete }: Report, version: string): string {
  const all = [...sourceRules, ...rules]
  const index = new Map(all.map(({ id }, at) => [id, at]))
  const result = (tool: ReportedTool, finding: ReportedFinding, suppressions: readonly object[]): object => ({
    ...resultOf(tool, finding),
    ruleIndex: index.get(finding.rule),
    // Both are said of all results, or of none.
    suppressions,
    ...(stale !== null && { baselineState: finding.known ? 'unchanged' : 'new' }),
  })
  const run = {
    tool: {
      driver: {
        name: 'curfew review',
        semanticVersion: version,
        rules: all.map(({ id, severity, summary }) => ({
          id,
          shortDescription: { text: summary },
          // The words of SARIF are ours.
          defaultConfiguration: { level: severity },
        })),
      },
    },
    columnKind: 'utf16CodeUnits',
    invocations: [{ executionSuccessful: complete }],
    results: sets
      .flatMap(({ tools }) => tools)
      .flatMap((tool) => [
        ...tool.findings.map((finding) => result(tool, finding, [])),
        ...tool.suppressed.map(({ finding, reason }) =>
          result(tool, finding, [{ kind: 'inSource', justification: reason }]),
        ),
      ]),
  }
  const document = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(document, null, 2)}\n`
}

function resultOf(tool: ReportedTool, finding: ReportedFinding): object {
  const { rule, severity, message, rewrite, pointer, place } = finding
  const fix = fixOf(tool, finding)
  return {
    ruleId: rule,
    level: severity,
    message: messageOf(`${tool.name}: ${message}\nBetter: ${rewrite}`),
    locations: [
      {
        ...(place !== null && { physicalLocation: physical(place) }),
        logicalLocations: [{ name: tool.name, fullyQualifiedName: tool.name + pointer, kind: 'function' }],
      },
    ],
    partialFingerprints: { 'curfewFinding/v1': fingerprint(tool.name, rule, pointer) },
    ...(fix !== null && { fixes: [fix] }),
  }
}

/** Braces would be placeholders, and brackets before a parenthesis a link (sections 3.11.5 and 3.11.6). */
function messageOf(text: string): { readonly text: string } {
  const shown = neutralise(text.slice(0, maxTextLength))
  return { text: shown.replace(/[{}]/g, '$&$&').replaceAll('](', '] (') }
}

function physical({ file, line }: Place): object {
  return { artifactLocation: artifact(file), region: { startLine: line } }
}

/** Seen from here, so that it is the same on every machine. */
function artifact(file: string): object {
  const path = relative(process.cwd(), resolve(file))
  if (path.startsWith('..') || resolve(path) === path) return { uri: pathToFileURL(resolve(file)).href }
  return { uri: path.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' }
}

function fixOf({ source }: ReportedTool, finding: ReportedFinding): object | null {
  const { origin } = source
  if (origin === null || !finding.fixable) return null
  const { format, document } = origin
  if (document.file === null || (format !== 'script' && format !== 'api')) return null
  const edit = editOf(document.text, format, finding)
  if (edit === null) return null
  const replacements = [{ deletedRegion: region(document.text, edit), insertedContent: { text: edit.text } }]
  return {
    description: messageOf(finding.rewrite),
    artifactChanges: [{ artifactLocation: artifact(document.file), replacements }],
  }
}

function region(text: string, { start, end }: TextEdit): object {
  const [startLine, startColumn] = position(text, start)
  const [endLine, endColumn] = position(text, end)
  return { startLine, startColumn, endLine, endColumn }
}

/** Both from 1. */
function position(text: string, at: number): [line: number, column: number] {
  const before = text.slice(0, at)
  return [before.split('\n').length, at - before.lastIndexOf('\n')]
}

function fingerprint(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
