import { type BigIntStats, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CurfewError, type JsonSchema } from '@curfew/core'
import { described, messageOf, readSmallFile, replaceFile, withLock } from '@curfew/core/internal'
import { applyEdit, editJson } from '../json/edit-json.ts'
import { escapeKey } from '../json/json-spans.ts'
import { parseJsonc } from '../json/parse-jsonc.ts'
import { documentChecker } from './check-document.ts'
import { rulePattern } from './config-schema.ts'

/** Bounds on what is stored, because every process reads all of it. */
const maxBytes = 1 << 20
const maxRules = 500
const maxRuleLength = 4_096

/** A call that a person allowed with `always`. */
export interface StoredApproval {
  readonly rule: string
  /** ISO 8601, in UTC. */
  readonly addedAt: string
}

/** By the real path of the project's folder. */
export type StoredApprovals = ReadonlyMap<string, readonly StoredApproval[]>

/** The schema of `approvals.json`. Other fields are allowed, so that an older version can use the file of a newer one. */
export const approvalsFileSchema: JsonSchema = {
  title: 'Remembered answers (approvals.json)',
  description:
    'Calls that run without a question, because you answered "always". Written by Curfew; curfew approvals lists and removes them.',
  type: 'object',
  properties: {
    projects: {
      description: "By the real path of the project's folder.",
      type: 'object',
      additionalProperties: {
        type: 'array',
        maxItems: maxRules,
        items: {
          type: 'object',
          properties: {
            rule: described(
              { type: 'string', maxLength: maxRuleLength, pattern: rulePattern },
              '"tool" or "tool(glob)", where * matches anything.',
            ),
            addedAt: described(
              { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' },
              'When you answered, in UTC.',
            ),
          },
          required: ['rule', 'addedAt'],
        },
      },
    },
  },
}

/** Stored in the user's own folder, never in the repository, which could otherwise approve its own calls. */
export function approvalsFile(userRoot: string): string {
  return join(userRoot, 'approvals.json')
}

/** Throws `INVALID_OPTION` with file and field if the file is invalid; then none of its answers is used. */
export function readApprovals(file: string): StoredApprovals {
  const text = readText(file)
  return text === null ? new Map() : parseApprovals(file, text)
}

/** Stores an answer. Concurrent changes by other processes are kept; an invalid file is rejected and not changed. */
export async function storeApproval(file: string, project: string, rule: string): Promise<void> {
  assertStorable(rule)
  await change(file, (text, stored) => {
    const known = stored.get(project)
    if (known?.some((one) => one.rule === rule)) return text
    if (known !== undefined && known.length >= maxRules)
      throw unusable(file, null, `${maxRules} answers are stored for ${project}; ${howToRemove}`)
    const added: StoredApproval = { rule, addedAt: new Date().toISOString() }
    const pointer = `/projects/${escapeKey(project)}`
    if (known !== undefined) return edit(text, `${pointer}/-`, added)
    return edit(text, pointer, [added]) ?? edit(text, '/projects', { [project]: [added] })
  })
}

function assertStorable(rule: string): void {
  const field = 'rule'
  if (rule.length > maxRuleLength) {
    const message = `${field}: expected at most ${maxRuleLength} characters, got ${rule.length}; answer with a shorter one, such as "tool(src/*)"`
    throw new CurfewError('INVALID_OPTION', message, { field })
  }
  if (new RegExp(rulePattern).test(rule)) return
  const message = `${field}: expected a rule such as "tool" or "tool(glob)", got ${JSON.stringify(rule)}`
  throw new CurfewError('INVALID_OPTION', message, { field })
}

/** Removes these answers of a project, or all of them. Returns the rules that were removed. */
export async function removeApprovals(
  file: string,
  project: string,
  rules: readonly string[] | 'all',
): Promise<readonly string[]> {
  let removed: readonly string[] = []
  if (readApprovals(file).size === 0) return removed
  await change(file, (text, stored) => {
    const known = stored.get(project) ?? []
    const isMeant = ({ rule }: StoredApproval): boolean => rules === 'all' || rules.includes(rule)
    removed = known.filter(isMeant).map(({ rule }) => rule)
    const pointer = `/projects/${escapeKey(project)}`
    if (removed.length === known.length && known.length > 0) return edit(text, pointer, undefined)
    // From the end, so that the other positions stay the same.
    return known.reduceRight<string | null>(
      (edited, one, index) => (isMeant(one) ? edit(edited!, `${pointer}/${index}`, undefined) : edited),
      text,
    )
  })
  return removed
}

const howToRemove = 'remove some with curfew approvals remove'

async function change(
  file: string,
  apply: (text: string, stored: StoredApprovals) => string | null,
): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await withLock(file, async () => {
      const text = readText(file) ?? '{\n  "projects": {}\n}\n'
      const changed = apply(text, parseApprovals(file, text))!
      if (changed === text) return
      if (Buffer.byteLength(changed) > maxBytes)
        throw unusable(file, null, `would exceed ${maxBytes} bytes; ${howToRemove}`)
      await replaceFile(file, changed)
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw unusable(file, null, `cannot be written: ${messageOf(error)}`)
  }
}

function edit(text: string, pointer: string, value: unknown): string | null {
  const found = editJson(text, pointer, value)
  return found === null ? null : applyEdit(text, found)
}

/** `null` if there is no such file. */
function readText(file: string): string | null {
  let bytes: Buffer | null
  try {
    bytes = readSmallFile(file, maxBytes)
  } catch (error) {
    throw unusable(file, null, `${messageOf(error)}; ${repair}`)
  }
  if (bytes === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw unusable(file, null, `is not JSON: it is not encoded as UTF-8; ${repair}`)
  }
}

/** `null` if there is no such file. */
export function approvalsStat(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw unusable(file, null, `cannot be read: ${messageOf(error)}`)
  }
}

const repair = 'repair or delete it'

interface ApprovalsDocument {
  readonly projects?: Readonly<Record<string, readonly StoredApproval[]>>
}

const checkAgainstSchema = documentChecker<ApprovalsDocument>(approvalsFileSchema)

function parseApprovals(file: string, text: string): StoredApprovals {
  let parsed: ReturnType<typeof parseJsonc>
  try {
    parsed = parseJsonc(text)
  } catch (error) {
    throw unusable(file, null, `is not JSON: ${messageOf(error)}; ${repair}`)
  }
  // Removing the last occurrence of a key would bring back the one before it.
  const [duplicate] = parsed.duplicateKeys
  if (duplicate !== undefined)
    throw unusable(file, duplicate.path, `duplicate key in line ${duplicate.line}; ${repair}`)
  const { document, problems } = checkAgainstSchema(parsed.value, file)
  if (document === null) throw unusable(file, problems[0]!.field, `${problems[0]!.message}; ${repair}`)
  return new Map(
    Object.entries(document.projects ?? {}).map(([project, approvals]) => [
      project,
      approvals.map(({ rule, addedAt }) => ({ rule, addedAt })),
    ]),
  )
}

function unusable(file: string, field: string | null, problem: string): CurfewError {
  const message = field === null ? `${file}: ${problem}` : `${file}: ${field}: ${problem}`
  return new CurfewError('INVALID_OPTION', message, { field: field ?? file })
}
