import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describeCapped } from '@curfew/core/internal'
import { type ConfigProblem, configWarning } from '../config/config-problem.ts'
import {
  defineFrom,
  type LoadedFolder,
  type LoadedTools,
  loadContent,
  loadEach,
  loadFile,
  unreadableFolder,
} from '../config/loaded-tools.ts'
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
      (file) => loadFile(file, 'is missing', (value) => describeApi(value, file)),
      (file, declaredName) => apiToolName(declaredName ?? basename(file, '.json')),
    )
  } catch (error) {
    return unreadableFolder(folder, error)
  }
}

/** Creates a tool from the content of a file. */
export function describeApi(value: unknown, file: string): LoadedTools {
  return loadContent(value, (content) => {
    const checked = checkApiFile(content, file)
    const problems: ConfigProblem[] = [...checked.problems]
    const { document } = checked
    if (document === null) return { tools: [], problems }
    const plan = planApi(document, (field, message, severity = 'error') =>
      problems.push({ severity, file, field, message }),
    )
    if (plan === null) return { tools: [], problems }
    return defineFrom(file, problems, () => {
      const tool = apiTool(document.name ?? basename(file, '.json'), document, plan)
      const capped = tool.timeoutMs === undefined ? null : describeCapped('api', tool.timeoutMs)
      if (capped !== null) problems.push(configWarning(file, 'endpoint.timeout', capped))
      const claimsReadOnly = document.readOnly === true && !reads(document)
      return { tool, alwaysAllow: document.always_allow, claimsReadOnly }
    })
  })
}
