import { loadConfig } from '@curfew/extensions'
import { configSchema, findSetting, splitEntryKey, unknownKey } from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'
import { reportProblems } from '../report-problems.ts'
import { advise } from '../runner-command.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { rejectInvalidSettings } from './reject-invalid-settings.ts'
import { formatSetting, showSettings } from './show-settings.ts'

interface ConfigInput {
  readonly json: boolean
  readonly schema: boolean
  readonly set: readonly string[]
}

/** `curfew config`. Returns the exit code. */
export async function runConfig({ json, schema, set }: ConfigInput): Promise<number> {
  if (schema) {
    write(`${JSON.stringify(configSchema, null, 2)}\n`)
    return 0
  }
  const { settings, problems } = await loadConfig({}, set)
  rejectInvalidSettings('config', problems)
  if (json) write(`${JSON.stringify({ settings, problems })}\n`)
  else write(showSettings(settings))
  reportProblems(problems)
  return 0
}

interface GetInput {
  readonly key: string
  readonly json: boolean
}

/** `curfew config get`. Returns the exit code. */
export async function runConfigGet({ key: written, json }: GetInput): Promise<number> {
  const { settings, problems } = await loadConfig()
  const key = findSetting(written)?.key ?? written.replaceAll('"', '')
  const own = settings.filter((setting) => setting.key === key)
  const found = own.length > 0 ? own : settings.filter((setting) => setting.key.startsWith(`${key}.`))
  const isKnown =
    found.length > 0 ||
    findSetting(written) !== undefined ||
    /^(tools(\.[^.]+)?|models(\.[^:]+:.+)?)$/.test(key)
  if (!isKnown) throw new UsageError(`curfew config get: ${oneLine(written)}: ${unknownKey(written)}`)
  const hasValue = found.some(({ value }) => value !== null)
  if (json) write(`${JSON.stringify({ settings: found, problems })}\n`)
  else if (!hasValue) process.stderr.write(`${oneLine(written)} is not set${toolHint(key)}\n`)
  else if (own.length === 0) write(showSettings(found))
  else {
    // Rules of several sources are combined.
    const value = own.length > 1 ? own.flatMap(({ value }) => value as readonly string[]) : own[0]!.value
    write(`${formatSetting({ ...own[0]!, value })}\n`)
  }
  reportProblems(problems)
  return hasValue ? 0 : 1
}

/** Entries for other patterns may apply to the tool. */
function toolHint(key: string): string {
  const { group, entry: pattern = '*' } = splitEntryKey(key) ?? {}
  return group !== 'tools' || /[*?]/.test(pattern)
    ? ''
    : `; ${advise(`curfew tools ${oneLine(pattern)}`)} shows what applies`
}
