import { advise } from '../../runner-command.ts'
import { shortPath } from '../../short-path.ts'
import { alignColumns, count, cut, hang, oneLine } from '../../terminal.ts'
import { showTarget } from '../show-target.ts'
import type { Diff, DiffState, ServerDiff } from './diff-servers.ts'
import { ownCommand } from './own-command.ts'
import { describeChanges } from './plan-changes.ts'
import { titleOf } from './plan-import.ts'
import type { Source } from './source.ts'

const signs: Readonly<Record<DiffState, string>> = {
  same: '=',
  different: '~',
  'only-agent': '+',
  'only-curfew': '-',
  unapproved: '?',
  unusable: '!',
}

/** In columns, if the output is not a terminal. */
const maxTarget = 100
/** How much of what two commands have in common is shown, if they are too long to show. In characters. */
const maxCommon = 24

/** Reports a comparison and what to run next. `target` is the agent or file on the command line. Never contains a key. */
export function describeDiff(diff: Diff, target: string, columns: number | undefined): string {
  const { servers, isUntrusted } = diff
  if (servers.length === 0) return 'no MCP servers were found, neither in the agent nor in Curfew\n'
  const sources = [...new Set(servers.flatMap(({ source }) => source ?? []))]
  const sections = sources.map((source) =>
    section(
      titleOf(source),
      servers.filter((one) => one.source === source),
      columns,
    ),
  )
  const ours = describeOurs(diff, columns)
  const remarks = [...twice(servers), ...(isUntrusted ? [untrusted] : [])].flatMap((remark) =>
    hang('', remark, columns, 2),
  )
  const next = nextSteps(diff, target)
  return [
    [...sections, ...(ours === '' ? [] : [ours])].join(''),
    ...(remarks.length === 0 ? [] : [remarks.map((line) => `${line}\n`).join('')]),
    `${hang('', summary(diff), columns, 2).join('\n')}\n`,
    ...(next === '' ? [] : [next]),
  ].join('\n')
}

const untrusted = `this project's servers in Curfew are not used until you run: ${advise('curfew trust')}`

function section(title: string, servers: readonly ServerDiff[], columns: number | undefined): string {
  const width = Math.max(...servers.map(({ name }) => oneLine(name).length))
  const lines = servers.flatMap((one) => {
    const lead = `  ${signs[one.state]}  ${oneLine(one.name).padEnd(width)}  `
    const room = columns === undefined ? maxTarget : columns - lead.length
    return [...hang(lead, describeOne(one, room), columns), ...targets(one, columns)]
  })
  return `${title}\n${lines.map((line) => `${line}\n`).join('')}`
}

/** `room` is the width for a command or URL, which is cut instead of wrapped. */
function describeOne({ state, name, agentEntry, curfew, fields, reason }: ServerDiff, room: number): string {
  const as = curfew !== null && curfew.name !== name ? ` as ${curfew.name}` : ''
  switch (state) {
    case 'same':
      return `the same${as}`
    case 'different':
      return `differs${as}: ${oneLine(fields.join(', '))}`
    case 'only-agent':
      return cut(`not in Curfew: ${showTarget(agentEntry!)}`, room)
    case 'only-curfew':
      return cut(showTarget(curfew!.entry), room)
    case 'unapproved':
      return 'not approved, so not compared'
    case 'unusable':
      return `cannot be imported: ${oneLine(reason ?? '')}`
  }
}

/** Both commands or URLs, if they differ visibly: keys are hidden. */
function targets(
  { state, agentEntry, curfew, source, fields }: ServerDiff,
  columns: number | undefined,
): readonly string[] {
  if (state !== 'different' || !fields.some((field) => /^(command|args|url)$/.test(field))) return []
  const [theirs, ours] = [showTarget(agentEntry!), showTarget(curfew!.entry)]
  if (theirs === ours) return []
  const agent = labelOf(source!)
  const indent = '       '
  const room =
    columns === undefined ? maxTarget : columns - indent.length - Math.max(agent.length, 'Curfew'.length) - 2
  const start = Math.max(theirs.length, ours.length) <= room ? 0 : differenceOf(theirs, ours)
  const shown = (target: string): string => cut(start === 0 ? target : `…${target.slice(start)}`, room)
  const rows = [
    [agent, shown(theirs)],
    ['Curfew', shown(ours)],
  ]
  return alignColumns(rows).map((line) => `${indent}${line}`)
}

/** Where two strings begin to differ, with a part of what they have in common. */
function differenceOf(one: string, other: string): number {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  return Math.max(0, start - maxCommon)
}

/** Our servers that the agent's files do not have: it reaches them if it uses Curfew. */
function describeOurs({ servers, withoutCurfew }: Diff, columns: number | undefined): string {
  const ours = servers.filter(({ state }) => state === 'only-curfew')
  if (ours.length === 0) return ''
  const where = withoutCurfew.length === 0 ? 'Only in Curfew, which the agent uses' : 'Only in Curfew'
  return section(where, ours, columns)
}

function twice(servers: readonly ServerDiff[]): readonly string[] {
  const agents = [
    ...new Set(servers.flatMap(({ startedTwice, source }) => (startedTwice ? [labelOf(source!)] : []))),
  ]
  return agents.map((agent) => {
    const names = servers.filter(({ startedTwice, source }) => startedTwice && labelOf(source!) === agent)
    return `${agent} uses Curfew, but also starts these itself: ${namesOf(names)}`
  })
}

function summary({ servers, withoutCurfew }: Diff): string {
  const number = (state: DiffState): number => servers.filter((one) => one.state === state).length
  const parts = [
    [number('same'), 'the same'],
    [number('different'), 'different'],
    [number('only-agent'), 'only in the agent'],
    [number('unusable'), 'that cannot be imported'],
    [number('only-curfew'), 'only in Curfew'],
    [number('unapproved'), 'not approved'],
  ] as const
  const counts = parts.flatMap(([size, what]) => (size === 0 ? [] : [`${size} ${what}`]))
  const users = withoutCurfew.map(labelOf)
  const use =
    users.length === 0 ? '' : `; ${users.join(', ')} ${users.length === 1 ? 'does' : 'do'} not use Curfew`
  return `${count(servers.length, 'server')}: ${counts.join(', ')}${use}`
}

function nextSteps({ servers, withoutCurfew }: Diff, target: string): string {
  const named = (state: DiffState): readonly ServerDiff[] => servers.filter((one) => one.state === state)
  const fresh = named('only-agent')
  const isAside = ({ source, startedTwice }: ServerDiff): boolean =>
    startedTwice || withoutCurfew.some(({ agent }) => agent === source?.agent)
  const aside = [...named('same').filter(isAside), ...fresh]
  // --apply does not edit the repository's files.
  const replaceable = aside.filter(({ source }) => source?.isShared === false)
  const shared = aside.filter(({ source }) => source?.isShared === true)
  const conflicts = named('different').filter(({ fields }) => fields.some((field) => field !== 'disabled'))
  const command = advise(`curfew mcp import ${target}`)
  const steps = [
    ...(fresh.length === 0 ? [] : [[`Import ${namesOf(fresh)}`, command]]),
    ...(replaceable.length === 0
      ? []
      : [[`Make the agent use Curfew for ${namesOf(replaceable)}`, `${command} --apply`]]),
    ...(conflicts.length === 0
      ? []
      : [[`Replace ${namesOf(conflicts)} in Curfew; --rename keeps both`, `${command} --force`]]),
  ]
  const byHand = [...new Set(shared.flatMap(({ source }) => source ?? []))].map(
    (source) =>
      `  # Remove from ${shortPath(source.file)}: ${namesOf(shared.filter((one) => one.source === source))}\n`,
  )
  const text = steps.map(([what, how]) => `  # ${what}\n  ${how}\n`).join('') + byHand.join('')
  const parts = [
    text === '' ? '' : `Next:\n${text}`,
    replaceable.length === 0 ? additions(withoutCurfew) : '',
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** If there is nothing to import, `--apply` would not add Curfew. */
function additions(agents: readonly Source[]): string {
  if (agents.length === 0) return ''
  const changes = agents.map((source) => ({
    source,
    place: source.placeIn(null),
    remove: [],
    add: source.curfewEntry(ownCommand(), null),
  }))
  return `To make the agent use Curfew:\n\n${describeChanges(changes)}`
}

function namesOf(servers: readonly ServerDiff[]): string {
  return cut(servers.map(({ name }) => oneLine(name)).join(', '), 40)
}

function labelOf({ agent }: Source): string {
  return agent === '' ? 'the agent' : agent
}
