import type { CommandHost } from './command-host.ts'
import { type CommandResult, defineCommand, type SlashCommand } from './slash-command.ts'

const verdicts = ['allow', 'ask', 'deny'] as const
type Verdict = (typeof verdicts)[number]

/** `/approve`, `/approve allow RULE`, `/approve remove [allow] RULE`. */
export const approveCommand: SlashCommand = defineCommand({
  name: 'approve',
  aliases: ['approvals'],
  summary: 'List, add or remove the rules that decide which calls run',
  arguments: {
    action: {
      type: 'word',
      optional: true,
      summary: 'what to do; without it, the rules are listed',
      choices: [...verdicts, 'remove'],
    },
    rule: {
      type: 'rest',
      optional: true,
      summary: 'tool or tool(argument-glob)',
      complete: ({ runtime }: CommandHost) =>
        runtime.rules.list().map(({ rule, verdict }) => ({ value: rule, description: verdict })),
    },
  },
  run({ host }, { action, rule }) {
    if (action === undefined) return list(host)
    if (rule === undefined)
      return { type: 'error', message: `/approve ${action}: expected a rule such as tool or tool(glob)` }
    if (action === 'remove') return remove(host, rule)
    host.runtime.rules.add(action, rule)
    return { type: 'text', text: `Until the end of the program: ${action} ${rule}` }
  },
})

function list({ runtime }: CommandHost): CommandResult {
  const rows = runtime.rules.list().map(({ verdict, rule, source }) => [verdict, rule, sources[source]])
  if (rows.length === 0) return { type: 'text', text: 'There are no rules.' }
  return { type: 'table', columns: ['verdict', 'rule', 'from'], rows }
}

const sources = { options: 'the configuration', added: 'this session', remembered: 'your answer "always"' }

function remove({ runtime: { rules } }: CommandHost, text: string): CommandResult {
  const [, verdict, rule] = /^(allow|ask|deny)\s+(.*)$/s.exec(text) ?? [undefined, undefined, text]
  const found = rules.list().filter((one) => one.rule === rule && (verdict ?? one.verdict) === one.verdict)
  const present = [...new Set(found.map((one) => one.verdict))]
  if (present.length > 1) {
    const commands = present.map((one) => `/approve remove ${one} ${rule}`).join(' or ')
    return { type: 'error', message: `/approve remove: ${rule} has several verdicts; use ${commands}` }
  }
  const [only] = present
  if (only === undefined || !rules.remove(only as Verdict, rule!))
    return { type: 'error', message: `/approve remove: there is no rule ${rule}; /approve lists the rules` }
  const fromFile = found.some(({ source }) => source === 'options')
  const until = fromFile ? ' until the end of the program; the configuration still contains it' : ''
  return { type: 'text', text: `Removed${until}: ${only} ${rule}` }
}
