import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkSandbox } from '@curfew/agent/tools'
import { containmentReport } from '@curfew/core/internal'
import { type ConfigProblem, loadConfig, loadExtensions } from '@curfew/extensions'
import { openKeychain } from '@curfew/extensions/internal'
import { loadServers, mcpFileName, missingVariables } from '@curfew/mcp/config'
import { examineRecording } from '../journal/examine-recording.ts'
import { problemLine } from '../report-problems.ts'
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
