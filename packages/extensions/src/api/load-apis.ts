import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { describeCapped } from '@curfew/core/internal'
import {
  type ConfigProblem,
  configError,
  configWarning,
  definitionProblem,
} from '../config/config-problem.ts'
import {
  declaredNameIn,
  type LoadedFolder,
  type LoadedTools,
  loadEach,
  onlyProblem,
  unreadableFolder,
} from '../config/loaded-tools.ts'
import { readJsonFile } from '../config/read-json-file.ts'
import { checkApiFile } from './api-file.ts'
import { planApi } from './api-plan.ts'
import { apiTool, apiToolName, reads } from './api-tool.ts'

/** Loads every `.json` file in `extensions/apis`. An invalid file does not affect the others. */
export async function loadApis(root: string): Promise<LoadedFolder> {
  const folder = join(root, 'extensions', 'apis')
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !/^[._]/.test(name))
    return await loadEach(
      names.sort().map((name) => join(folder, name)),
      loadApi,
      (file, declaredName) => apiToolName(declaredName ?? basename(file, '.json')),
    )
  } catch (error) {
    return unreadableFolder(folder, error)
  }
}

async function loadApi(file: string): Promise<LoadedTools> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { tools: [], problems: [configError(file, null, 'is missing')] }
  if (read.kind === 'problem') return { tools: [], problems: [read.problem] }
  const { tools, problems } = describeApi(read.value, file)
  return { declaredName: declaredNameIn(read.value), tools, problems: [...read.problems, ...problems] }
}

/** Creates a tool from the content of a file. */
export function describeApi(value: unknown, file: string): LoadedTools {
  const checked = checkApiFile(value, file)
  const problems: ConfigProblem[] = [...checked.problems]
  const { document } = checked
  if (document === null) return { tools: [], problems }
  const plan = planApi(document, (field, message, severity = 'error') =>
    problems.push({ severity, file, field, message }),
  )
  if (plan === null) return { tools: [], problems }
  try {
    const tool = apiTool(document.name ?? basename(file, '.json'), document, plan)
    const capped = tool.timeoutMs === undefined ? null : describeCapped('api', tool.timeoutMs)
    if (capped !== null) problems.push(configWarning(file, 'endpoint.timeout', capped))
    const claimsReadOnly = document.readOnly === true && !reads(document)
    return { tools: [{ tool, file, alwaysAllow: document.always_allow, claimsReadOnly }], problems }
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    return onlyProblem(definitionProblem(file, error), problems)
  }
}
