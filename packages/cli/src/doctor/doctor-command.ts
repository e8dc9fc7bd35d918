import { containmentReport } from '@curfew/core/process'
import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'
import { write } from '../write.ts'

interface Finding {
  readonly subject: string
  readonly ok: boolean
  readonly detail: string
}

export const command: Command = {
  run(args) {
    const { json, help: wantsHelp } = parseOptions('doctor', args, {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (wantsHelp) {
      write(help)
      return 0
    }
    const findings = examine()
    write(json ? `${JSON.stringify({ findings })}\n` : show(findings))
    // Some way to hold commands is enough; the others are there for more.
    return findings.some(({ subject, ok }) => ok && subject !== 'node') ? 0 : 1
  },
}

function examine(): Finding[] {
  const containment = containmentReport().map(({ kind, available, detail }) => ({
    subject: kind,
    ok: available,
    detail,
  }))
  return [
    { subject: 'node', ok: true, detail: `${process.version} (22.13 or newer is needed)` },
    ...containment,
  ]
}

function show(findings: readonly Finding[]): string {
  const used = findings.find(({ subject, ok }) => ok && (subject === 'cgroup' || subject === 'markers'))
  const lines = findings.map(({ subject, ok, detail }) => `${ok ? '✓' : '✗'} ${subject.padEnd(10)} ${detail}`)
  const verdict = used === undefined ? 'commands cannot be held here' : `commands are held by ${used.subject}`
  return `${lines.join('\n')}\n\n${verdict}\n`
}

const help = `Usage: curfew doctor [--json]

Say what this machine allows: the Node version, and how commands can be held so that nothing they start is left
(cgroup, PID namespace, markers). Exit: 0 if commands can be held, 1 if not.

  --json      print one JSON object
  -h, --help  show this
`
