import { type Duration, parseDuration } from '@curfew/core'
import { describeCapped, messageOf } from '@curfew/core/internal'
import { FileError, type FrontMatter, lineField, readFrontMatter } from '../commands/front-matter.ts'
import {
  type CommandFile,
  type CommandProblem,
  type CommandRoot,
  loadCommandFiles,
} from '../commands/read-command-files.ts'
import type { AgentMode } from '../loop/agent-mode.ts'

/** An agent that a file describes: `agents/<name>.md`. */
export interface AgentFile {
  readonly name: string
  /** One line for the model that chooses an agent. */
  readonly description: string
  /** The system prompt. */
  readonly instructions: string
  /** Names or globs; `null`: all tools of the agent that starts it. */
  readonly tools: readonly string[] | null
  /** `provider:name`; `null`: the model of the agent that starts it. */
  readonly model: string | null
  readonly mode: AgentMode | null
  readonly timeoutMs: number | null
  readonly source: CommandRoot['source']
}

export interface LoadedAgentFiles {
  readonly agents: readonly AgentFile[]
  readonly problems: readonly CommandProblem[]
}

/** The name of an agent that only the task describes. */
export const inlineAgent = 'general'

/** Loads the agents that are described in files. A file with a problem is skipped. Of two with the same name, the one of the earlier root wins. */
export async function loadAgentFiles(roots: readonly CommandRoot[]): Promise<LoadedAgentFiles> {
  const agents = new Map<string, AgentFile>()
  const problems: CommandProblem[] = []
  const report = (problem: CommandProblem): void => void problems.push(problem)
  await loadCommandFiles(roots, 'agents', report, (file, source) => {
    const agent = toAgent(file, source, report)
    if (agents.has(agent.name))
      throw new FileError(null, `another file describes ${agent.name}; rename one of them`)
    agents.set(agent.name, agent)
  })
  return { agents: [...agents.values()], problems }
}

const knownFields = ['name', 'description', 'tools', 'model', 'mode', 'timeout']
const modes: readonly string[] = ['plan', 'ask', 'accept-edits'] satisfies AgentMode[]
const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/i
const maxFieldLength = 500
const maxTools = 100

function toAgent(
  { file, segments, text }: CommandFile,
  source: CommandRoot['source'],
  report: (problem: CommandProblem) => void,
): AgentFile {
  const content = readFrontMatter(text)
  for (const [key, { line }] of content.fields)
    if (!knownFields.includes(key))
      report({ severity: 'warning', file, line, message: `${key}: unknown key; it is ignored` })
  const instructions = content.body.trim()
  if (instructions === '') throw new FileError(1, 'expected instructions below the front matter')
  const timeoutMs = timeoutOf(content)
  const capped = timeoutMs === null ? null : describeCapped('subagent', timeoutMs)
  if (capped !== null) {
    const { line } = content.fields.get('timeout')!
    report({ severity: 'warning', file, line, message: `timeout: ${capped}` })
  }
  return {
    name: nameOf(content, segments),
    description: required(content, 'description'),
    instructions,
    tools: toolsOf(content),
    model: modelOf(content, source),
    mode: modeOf(content),
    timeoutMs,
    source,
  }
}

function nameOf(content: FrontMatter, segments: readonly string[]): string {
  const name = lineField(content, 'name', maxFieldLength) ?? segments.join('-')
  const line = content.fields.get('name')?.line ?? null
  if (!namePattern.test(name))
    throw new FileError(line, `name: expected letters, digits, _ and -, got ${JSON.stringify(name)}`)
  if (name === inlineAgent)
    throw new FileError(line, `name: ${inlineAgent} is an agent without a file; choose another name`)
  return name
}

/** `read_file, search_*`, also in brackets. */
function toolsOf(content: FrontMatter): readonly string[] | null {
  const value = lineField(content, 'tools', maxFieldLength)
  if (value === undefined) return null
  const { line } = content.fields.get('tools')!
  const tools = value.replace(/^\[(.*)\]$/, '$1').split(',')
  const globs = tools.map((glob) => glob.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((glob) => glob !== '')
  const invalid = globs.find((glob) => !/^[\w./*?-]{1,128}$/.test(glob))
  if (invalid !== undefined)
    throw new FileError(line, `tools: expected names or globs of tools, got ${JSON.stringify(invalid)}`)
  if (globs.length === 0 || globs.length > maxTools)
    throw new FileError(line, `tools: expected 1 to ${maxTools} names or globs, got ${globs.length}`)
  return globs
}

function modelOf(content: FrontMatter, source: CommandRoot['source']): string | null {
  const model = lineField(content, 'model', maxFieldLength)
  if (model === undefined) return null
  const { line } = content.fields.get('model')!
  if (!/^[a-z-]+:\S+$/.test(model))
    throw new FileError(line, `model: expected provider:name, got ${JSON.stringify(model)}`)
  if (source === 'project' && model.includes('@http'))
    throw new FileError(
      line,
      'model: a project cannot set a base URL, because your prompts and keys would be sent there',
    )
  return model
}

function modeOf(content: FrontMatter): AgentMode | null {
  const mode = lineField(content, 'mode', maxFieldLength)
  if (mode === undefined) return null
  if (modes.includes(mode)) return mode as AgentMode
  const { line } = content.fields.get('mode')!
  throw new FileError(line, `mode: expected one of ${modes.join(', ')}, got ${JSON.stringify(mode)}`)
}

function timeoutOf(content: FrontMatter): number | null {
  const value = lineField(content, 'timeout', maxFieldLength)
  if (value === undefined) return null
  try {
    return parseDuration(value as Duration, 'timeout')
  } catch (error) {
    throw new FileError(content.fields.get('timeout')!.line, messageOf(error))
  }
}

function required(content: FrontMatter, key: string): string {
  const value = lineField(content, key, maxFieldLength)
  if (value === undefined)
    throw new FileError(1, `${key}: missing; expected one line that says when to use it`)
  return value
}
