import type { ToolContext } from '@curfew/core'
import { CurfewError, canonicalJson, escapeInvisible } from '@curfew/core/internal'
import { UpstreamError } from '../errors/upstream-error.ts'
import { changeLines } from '../state/change-lines.ts'
import type { ChangedTool } from '../state/server-state.ts'
import type { Upstream } from '../upstream.ts'

/** A person can only approve what is shown completely; beyond this, it takes a terminal. */
const maxShown = 6_000
const approve = 'Approve the new definition'
const decline = 'No'

/**
 * Rejects the call of a tool whose definition has changed, unless a person approves the change. Checked on a live connection: a
 * server that was just started may have reverted its change.
 */
export async function denyChanged(
  upstream: Upstream,
  name: string,
  context: Pick<ToolContext, 'ask'>,
): Promise<void> {
  const find = (): ChangedTool | undefined => upstream.state.changed.find((changed) => changed.name === name)
  if (find() === undefined) return
  await upstream.recheck()
  const change = find()
  if (change === undefined) return
  if (!(await isApproved(upstream, change, context))) throw denied(upstream, name)
  await upstream.approve(change)
  // It may have changed again while the person was reading.
  if (find() !== undefined) throw denied(upstream, name)
  if (!hasSameInput(change)) throw newDefinition(upstream, change)
}

/** Asks the person with the complete difference. False if nobody can be asked. */
async function isApproved(
  { name: server }: Upstream,
  change: ChangedTool,
  context: Pick<ToolContext, 'ask'>,
): Promise<boolean> {
  const diff = (await changeLines(change)).join('\n')
  if (diff.length > maxShown) return false
  const message =
    `The MCP server ${server} has changed the definition of its tool ${escapeInvisible(change.name)}, which a model wants to call. ` +
    `The new definition could contain instructions for the model. The difference:\n\n${diff}`
  try {
    return (await context.ask({ message, choices: [approve, decline] })) === approve
  } catch (error) {
    // The reason would contain the whole question.
    if (error instanceof CurfewError && ['DENIED', 'APPROVAL_EXPIRED'].includes(error.code)) return false
    throw error
  }
}

/** The model has only seen the old definition. */
function hasSameInput({ pinned, current }: ChangedTool): boolean {
  return canonicalJson(pinned.inputSchema) === canonicalJson(current.inputSchema)
}

function newDefinition({ name: server }: Upstream, { name, current }: ChangedTool): CurfewError {
  const { description, inputSchema } = current
  const definition = JSON.stringify({ description, inputSchema })
  const reason = `has changed the parameters of ${name}, and a person has approved that. It was not called; call it again with arguments for:\n${definition}`
  return new UpstreamError('INVALID_PARAMS', server, reason, { hadNoEffect: true })
}

function denied({ name: server }: Upstream, name: string): CurfewError {
  const reason =
    `has changed the definition of ${name} since it was first seen, so it is not called. ` +
    `A person has to review the change: curfew mcp approve ${server}`
  return new UpstreamError('DENIED', server, reason, { hadNoEffect: true })
}
