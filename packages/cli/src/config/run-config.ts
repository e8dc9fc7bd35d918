import { loadConfig } from '@curfew/extensions'
import { configSchema } from '@curfew/extensions/internal'
import { reportProblems } from '../report-problems.ts'
import { write } from '../write.ts'
import { rejectInvalidSettings } from './reject-invalid-settings.ts'
import { showSettings } from './show-settings.ts'

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
