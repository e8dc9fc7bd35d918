import { constants, existsSync, type Stats } from 'node:fs'
import { access, lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { checkSandbox } from '@curfew/agent/tools'
import { containmentReport, isOwn } from '@curfew/core/internal'
import { type Config, type ConfigProblem, loadConfig, loadExtensions } from '@curfew/extensions'
import { openKeychain } from '@curfew/extensions/internal'
import { journalPath, openLog } from '@curfew/journal'
import { loadServers, mcpFileName, missingVariables } from '@curfew/mcp/config'
import { problemLine } from '../report-problems.ts'
import { stateHome } from '../state-home.ts'
import { hang, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'

interface Finding {
  readonly subject: string
  readonly ok: boolean
  readonly detail: string
  /** The system's own message. */
  readonly reason?: string
}

/** `curfew doctor`. Returns the exit code. */
export async function runDoctor(json: boolean): Promise<number> {
  const containment = containmentReport().map(({ kind, available, detail }) => ({
    subject: kind,
    ok: available,
    detail,
  }))
  const { findings: config, problems } = await examineConfig()
  const findings = [examineNode(), ...containment, await examineSandbox(), await examineKeychain(), ...config]
  // A namespace does not count, because it is used only on request.
  const containedBy = containment.find(({ ok, subject }) => ok && subject !== 'namespace')?.subject
  if (json) write(`${JSON.stringify({ findings, problems })}\n`)
  else write(show(findings, problems, containedBy))
  return containedBy === undefined ? 1 : 0
}

function examineNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 22 || (major === 22 && minor >= 13)
  return { subject: 'node', ok, detail: `${process.version} (22.13 or newer is required)` }
}

async function examineSandbox(): Promise<Finding> {
  const problem = await checkSandbox('workspace-offline')
  const subject = 'sandbox'
  if (problem !== null)
    return {
      subject,
      ok: false,
      detail: `commands of the agent cannot be sandboxed: ${oneLine(problem)}`,
    }
  const { sandbox } = await loadConfig()
  const recommendation =
    "recommended for the agent's commands: curfew config set sandbox=workspace (or workspace-offline, without network)"
  return {
    subject,
    ok: true,
    detail:
      sandbox === 'none'
        ? `bubblewrap works; ${recommendation}`
        : `bubblewrap works; commands run with ${JSON.stringify(sandbox)}`,
  }
}

async function examineKeychain(): Promise<Finding> {
  const keychain = await openKeychain()
  if (!('unavailable' in keychain))
    return { subject: 'keychain', ok: true, detail: 'secrets are stored there' }
  return {
    subject: 'keychain',
    ok: false,
    detail: 'no Secret Service in this session: secrets are stored in an encrypted file',
    reason: oneLine(keychain.unavailable),
  }
}

async function examineConfig(): Promise<{ findings: Finding[]; problems: readonly ConfigProblem[] }> {
  const { roots, config, tools, problems: toolProblems } = await loadExtensions()
  const { user, project } = roots
  const { servers, unused, problems: serverProblems } = await loadServers(roots)
  const problems = [...toolProblems, ...serverProblems, ...missingVariables(unused)]
  const describeRoot = (root: string): string => {
    if (!existsSync(root)) return `${root} (does not exist)`
    const count = tools.filter(({ file }) => file.startsWith(root)).length
    const parts = [
      `${count} ${count === 1 ? 'tool' : 'tools'}`,
      ...(existsSync(join(root, mcpFileName)) ? [countServers(root)] : []),
      ...(existsSync(join(root, 'config.json')) ? ['config.json'] : []),
    ]
    return `${root} (${parts.join(', ')})`
  }
  const countServers = (root: string): string => {
    const count = servers.filter((server) => server.root === root).length
    return `${count} MCP ${count === 1 ? 'server' : 'servers'}`
  }
  const hasErrors = (root: string): boolean =>
    problems.some(({ severity, file }) => severity === 'error' && file.startsWith(root))
  const findings = [{ subject: 'user', ok: !hasErrors(user), detail: describeRoot(user) }]
  if (project !== null) {
    const detail = project.trusted
      ? describeRoot(project.path)
      : `${project.path} (ignored, because it is not trusted; run curfew trust)`
    findings.push({ subject: 'project', ok: project.trusted && !hasErrors(project.path), detail })
  }
  return { findings: [...findings, ...(await examineRecording(config))], problems }
}

function show(
  findings: readonly Finding[],
  problems: readonly ConfigProblem[],
  containedBy: string | undefined,
): string {
  const columns = terminalWidth(process.stdout)
  const lines = findings.flatMap(({ subject, ok, detail }) =>
    hang(`${ok ? '✓' : '✗'} ${subject.padEnd(10)} `, detail, columns),
  )
  // The findings above already report a project that is not trusted.
  const errors = problems
    .filter(({ severity, field }) => severity === 'error' || field !== null)
    .flatMap((problem) => hang('  ', problemLine(problem), columns))
  const verdict =
    containedBy === undefined
      ? 'commands cannot be contained on this machine'
      : `commands are contained by: ${containedBy}`
  return `${[...lines, ...errors].join('\n')}\n\n${verdict}\n`
}

interface RecordingFinding {
  readonly subject: 'journal' | 'log'
  readonly ok: boolean
  readonly detail: string
}

/** Where calls are recorded, how large the files are, and whether they can be written. Creates nothing. */
async function examineRecording({ recording, roots }: Config): Promise<readonly RecordingFinding[]> {
  const project = roots.projectFolder
  const stateFolder = stateHome()
  const log = openLog({ stateFolder, project, program: 'doctor', warn: () => {} })
  return [
    await examineFile('journal', recording.journal.enabled, journalPath(stateFolder, project)),
    await examineFile('log', recording.log.enabled, log.path),
  ]
}

async function examineFile(
  subject: RecordingFinding['subject'],
  enabled: boolean,
  path: string,
): Promise<RecordingFinding> {
  if (!enabled) return { subject, ok: true, detail: `off (${subject}.enabled)` }
  const problem = await whyNotWritable(path)
  if (problem !== null) return { subject, ok: false, detail: `${path}: ${problem}` }
  const bytes = await sizeOf(path)
  return { subject, ok: true, detail: `${path} (${bytes === 0 ? 'nothing recorded yet' : showSize(bytes)})` }
}

async function whyNotWritable(path: string): Promise<string | null> {
  try {
    const found = await statOrNull(path)
    if (found !== null && !(found.isFile() && isOwn(found))) return 'expected a regular file of this user'
    // Otherwise it will be created in the first folder that exists.
    let existing = path
    while ((await statOrNull(existing)) === null) existing = dirname(existing)
    await access(existing, constants.W_OK)
    return null
  } catch (error) {
    return `cannot be written (${(error as NodeJS.ErrnoException).code})`
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  return await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Including the files beside it: old logs, and what SQLite has not merged yet. */
async function sizeOf(path: string): Promise<number> {
  const names = await readdir(dirname(path)).catch(() => [])
  const files = names.filter((name) => name.startsWith(basename(path)))
  const sizes = await Promise.all(
    files.map(async (name) => (await lstat(join(dirname(path), name)).catch(() => null))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function showSize(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
