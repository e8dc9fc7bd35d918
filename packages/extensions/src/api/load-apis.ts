import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { type ConfigProblem, configError, problemOfTool } from '../config/config-problem.ts'
import {
  type LoadedFolder,
  type LoadedTools,
  loadEach,
  nameIn,
  onlyProblem,
  unreadableFolder,
} from '../config/loaded-tools.ts'
import { readJsonFile } from '../config/read-json-file.ts'
import { checkApiFile } from './api-file.ts'
import { planApi } from './api-plan.ts'
import { apiTool, apiToolName } from './api-tool.ts'

/** Every `.json` file in `extensions/apis`. One that is broken harms no other. */
export async function loadApis(root: string): Promise<LoadedFolder> {
  const folder = join(root, 'extensions', 'apis')
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !/^[._]/.test(name))
    return await loadEach(
      names.sort().map((name) => join(folder, name)),
      loadApi,
      (file, named) => apiToolName(named ?? basename(file, '.json')),
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
  return { named: nameIn(read.value), tools, problems: [...read.problems, ...problems] }
}

/** The tool that the content of a file describes. */
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
    return { tools: [{ tool, file, alwaysAllow: document.always_allow }], problems }
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    return onlyProblem(problemOfTool(file, error), problems)
  }
}
