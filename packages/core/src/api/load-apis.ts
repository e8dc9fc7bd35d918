import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type ConfigProblem, configError, problemOfTool } from '../config/config-problem.ts'
import { readJsonFile } from '../config/read-json-file.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { LoadedTools } from '../script/load-scripts.ts'
import { checkApiFile } from './api-file.ts'
import { planApi } from './api-plan.ts'
import { apiTool } from './api-tool.ts'

/** Every `.json` file in `extensions/apis`. One that is broken harms no other. */
export async function loadApis(root: string): Promise<LoadedTools> {
  const folder = join(root, 'extensions', 'apis')
  let names: string[]
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return {
      tools: [],
      problems: missing ? [] : [configError(folder, null, `cannot be read: ${messageOf(error)}`)],
    }
  }
  const loaded = await Promise.all(names.sort().map((name) => loadApi(join(folder, name))))
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    problems: loaded.flatMap(({ problems }) => problems),
  }
}

async function loadApi(file: string): Promise<LoadedTools> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { tools: [], problems: [configError(file, null, 'is missing')] }
  if (read.kind === 'problem') return { tools: [], problems: [read.problem] }
  const checked = checkApiFile(read.value, file)
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
    const problem = problemOfTool(file, error)
    problems.push(problem.field === 'timeout' ? { ...problem, field: 'endpoint.timeout' } : problem)
    return { tools: [], problems }
  }
}
