import type { CallRow } from '@curfew/core'
import type { CommandHost, CommandRuntime } from './command-host.ts'
import { oneLine } from './one-line.ts'
import { defineCommand, type SlashCommand } from './slash-command.ts'

const defaultFinished = 20

/** `/calls [COUNT]`: all live calls, and the last finished ones. */
export const callsCommand: SlashCommand = defineCommand({
  name: 'calls',
  summary: 'List the running calls and the last finished ones',
  arguments: {
    count: {
      type: 'integer',
      optional: true,
      summary: `how many finished calls to list, ${defaultFinished} by default`,
    },
  },
  run({ host: { runtime } }, { count = defaultFinished }) {
    const { calls } = runtime.getSnapshot()
    const finished = calls.filter((row) => !isLive(row))
    const listed = new Set(count === 0 ? [] : finished.slice(-count))
    return { type: 'calls', rows: calls.filter((row) => isLive(row) || listed.has(row)) }
  },
})

/** `/cancel UID|ID|all`. */
export const cancelCommand: SlashCommand = defineCommand({
  name: 'cancel',
  summary: 'Cancel a call, or all of them',
  arguments: {
    call: {
      type: 'word',
      summary: "the call's number or id, or all",
      complete: completeLive,
    },
  },
  run({ host: { runtime } }, { call }) {
    const live = liveCalls(runtime)
    const rows = call === 'all' ? live : matching(live, call)
    if (rows.length === 0) {
      const which = call === 'all' ? 'no call is running' : `no running call has the number or id ${call}`
      return { type: 'error', message: `/cancel: ${which}; /calls lists them` }
    }
    for (const { uid } of rows) runtime.cancel({ uid }, 'by the person')
    const names = rows.map(({ uid, name }) => `${oneLine(name)} (${uid})`).join(', ')
    return { type: 'text', text: `Cancelled: ${names}` }
  },
})

/** A number is a uid if there is such a call. */
function matching(rows: readonly CallRow[], text: string): readonly CallRow[] {
  const byUid = rows.filter(({ uid }) => String(uid) === text)
  return byUid.length > 0 ? byUid : rows.filter(({ id }) => id === text)
}

function completeLive({ runtime }: CommandHost): { value: string; description: string }[] {
  const rows = liveCalls(runtime)
  const candidates = rows.map(({ uid, name, args }) => ({
    value: String(uid),
    description: oneLine(`${name} ${args}`),
  }))
  return rows.length > 1 ? [...candidates, { value: 'all', description: 'all calls' }] : candidates
}

function liveCalls(runtime: CommandRuntime): readonly CallRow[] {
  return runtime.getSnapshot().calls.filter(isLive)
}

function isLive({ endedAt }: CallRow): boolean {
  return endedAt === null
}
