import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { containmentReport } from '@curfew/core/internal'
import { type ConfigProblem, loadExtensions } from '@curfew/extensions'
import { openKeychain } from '@curfew/extensions/internal'
import { loadServers, mcpFileName } from '@curfew/mcp/config'
import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { problemLine } from '../report-problems.ts'
import { hang, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'

interface Finding {
  readonly subject: string
  readonly ok: boolean
  readonly detail: string
  /** In the words of the system. */
  readonly reason?: string
}

export const command: Command = {
  async run(args) {
    const { json, help: wantsHelp } = parseOptions('doctor', args, {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (wantsHelp) {
      write(help)
      return 0
    }
    const containment = containmentReport().map(({ kind, available, detail }) => ({
      subject: kind,
      ok: available,
      detail,
    }))
    const { findings: config, problems } = await examineConfig()
    const findings = [examineNode(), ...containment, await examineKeychain(), ...config]
    // Some way to hold commands is enough; the others are there for more.
    const held = containment.find(({ ok, subject }) => ok && subject !== 'namespace')
    if (json) write(`${JSON.stringify({ findings, problems })}\n`)
    else write(show(findings, problems, held?.subject))
    return held === undefined ? 1 : 0
  },
}

function examineNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 22 || (major === 22 && minor >= 13)
  return { subject: 'node', ok, detail: `${process.version} (22.13 or newer is needed)` }
}

async function examineKeychain(): Promise<Finding> {
  const keychain = await openKeychain()
  if (!('unavailable' in keychain)) return { subject: 'keychain', ok: true, detail: 'secrets are kept there' }
  return {
    subject: 'keychain',
    ok: false,
    detail: 'no Secret Service on this session: secrets are kept in an encrypted file',
    reason: oneLine(keychain.unavailable),
  }
}

async function examineConfig(): Promise<{ findings: Finding[]; problems: readonly ConfigProblem[] }> {
  const { roots, tools, problems: wrong } = await loadExtensions()
  const { user, project } = roots
  const { servers, problems: wrongServers } = await loadServers(roots)
  const problems = [...wrong, ...wrongServers]
  const of = (root: string): string => {
    if (!existsSync(root)) return `${root} (not there)`
    const count = tools.filter(({ file }) => file.startsWith(root)).length
    const parts = [
      `${count} ${count === 1 ? 'tool' : 'tools'}`,
      ...(existsSync(join(root, mcpFileName)) ? [serversOf(root)] : []),
      ...(existsSync(join(root, 'config.json')) ? ['config.json'] : []),
    ]
    return `${root} (${parts.join(', ')})`
  }
  const serversOf = (root: string): string => {
    const count = servers.filter((server) => server.root === root).length
    return `${count} MCP ${count === 1 ? 'server' : 'servers'}`
  }
  const broken = (root: string): boolean =>
    problems.some(({ severity, file }) => severity === 'error' && file.startsWith(root))
  const findings = [{ subject: 'user', ok: !broken(user), detail: of(user) }]
  if (project !== null) {
    const detail = project.trusted
      ? of(project.path)
      : `${project.path} (not trusted, so it is ignored: curfew trust)`
    findings.push({ subject: 'project', ok: project.trusted && !broken(project.path), detail })
  }
  return { findings, problems }
}

function show(
  findings: readonly Finding[],
  problems: readonly ConfigProblem[],
  held: string | undefined,
): string {
  const columns = terminalWidth(process.stdout)
  const lines = findings.flatMap(({ subject, ok, detail }) =>
    hang(`${ok ? '✓' : '✗'} ${subject.padEnd(10)} `, detail, columns),
  )
  // That a project is not trusted has been said above.
  const broken = problems
    .filter(({ severity, field }) => severity === 'error' || field !== null)
    .flatMap((problem) => hang('  ', problemLine(problem), columns))
  const verdict = held === undefined ? 'commands cannot be held here' : `commands are held by ${held}`
  return `${[...lines, ...broken].join('\n')}\n\n${verdict}\n`
}

const help = `Usage: curfew doctor [--json]

Say what this machine allows, and how to get more: the Node version; how
commands can be held so that nothing they start is left (cgroup, PID namespace,
markers); whether there can be a keychain; and the configuration of you and of
this project, with the MCP servers in it (curfew mcp test starts those).
Exit: 0 if commands can be held, 1 if not.

  --json      print one JSON object: { findings, problems }
  -h, --help  show this
`
