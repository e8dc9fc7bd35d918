import { CurfewError, type ToolView, type Turn } from '@curfew/core'
import {
  dynamicTool,
  type JSONSchema7,
  jsonSchema,
  type PrepareStepFunction,
  type SingleToolApprovalFunction,
  type StopCondition,
  type Tool,
} from 'ai'
import { Generation } from './generation.ts'
import { isApprovedInHistory } from './is-approved-in-history.ts'
import { liveOutputs } from './live-outputs.ts'
import { type AiSdkToolOutput, toModelOutput } from './tool-output.ts'

export interface AiSdkToolsOptions {
  /**
   * Who asks when a call needs approval. `'runtime'`: the runtime's question handlers, while the AI SDK waits for the call.
   * `'sdk'`: the AI SDK, which ends the generation with a `tool-approval-request`; pass the response in the messages of the next one.
   * @default 'runtime'
   */
  readonly approval?: 'runtime' | 'sdk' | undefined
}

/** Options of `generateText`, `streamText` and `ToolLoopAgent`. Spread all of them: `streamText({ model, messages, ...toAiSdkTools(turn) })`. */
export interface AiSdkTools {
  readonly tools: Record<string, Tool<unknown, AiSdkToolOutput>>
  /** With `approval: 'sdk'`: requests approval for calls that need it. Otherwise empty. */
  readonly toolApproval: Record<string, SingleToolApprovalFunction<unknown, unknown, unknown>>
  /** Ends the loop when the turn was stopped, and after the final answer. */
  // biome-ignore lint/suspicious/noExplicitAny: as the AI SDK types its own stop conditions, which work with every set of tools.
  readonly stopWhen: StopCondition<any, any>
  /** Removes the tools when the turn has used all its calls, or the model repeats itself, so that it gives its final answer. */
  // biome-ignore lint/suspicious/noExplicitAny: see `stopWhen`.
  readonly prepareStep: PrepareStepFunction<any, any>
}

/**
 * The tools of a turn's conversation for one generation of the AI SDK. Calls run in the runtime, with its deadlines, approvals and
 * limits; the calls of one step have the same order as in a batch.
 */
export function toAiSdkTools(turn: Turn, options: AiSdkToolsOptions = {}): AiSdkTools {
  checkTurn(turn)
  const approval = readApproval(options)
  const generation = new Generation(turn)
  const views = turn.conversation.listTools()
  return {
    tools: Object.fromEntries(views.map((view) => [view.name, toTool(view, generation, approval)])),
    toolApproval:
      approval === 'runtime'
        ? {}
        : Object.fromEntries(views.map(({ name }) => [name, toApproval(name, turn, generation)])),
    stopWhen: ({ steps }) => generation.isOver(steps),
    prepareStep: ({ stepNumber }) =>
      generation.beginStep(stepNumber).windDown ? { activeTools: [] } : undefined,
  }
}

type Approval = NonNullable<AiSdkToolsOptions['approval']>

function toTool(
  { name, description, parameters = noParameters }: ToolView,
  generation: Generation,
  approval: Approval,
): Tool<unknown, AiSdkToolOutput> {
  return dynamicTool({
    ...(description !== undefined && { description }),
    // Without a validator: the runtime validates, fills in defaults, and explains to the model what is wrong.
    inputSchema: jsonSchema(parameters as JSONSchema7),
    onInputAvailable: ({ input, toolCallId }) => generation.expect({ id: toolCallId, name, params: input }),
    execute(input, { toolCallId, messages, abortSignal }) {
      const call = { id: toolCallId, name, params: input }
      const approved = approval === 'sdk' && isApprovedInHistory(messages, toolCallId)
      return liveOutputs(
        (onChange) => generation.start(call, { signal: abortSignal, approved, onChange }),
        abortSignal,
      )
    },
    toModelOutput: ({ output }) => toModelOutput(output),
  }) as Tool<unknown, AiSdkToolOutput>
}

/** A stub has no parameters. */
const noParameters = { type: 'object', properties: {} }

/** Only with `approval: 'sdk'`. What a rule denies still reaches the runtime, which denies and records it. */
function toApproval(
  name: string,
  turn: Turn,
  generation: Generation,
): SingleToolApprovalFunction<unknown, unknown, unknown> {
  return (params, { toolCallId: id }) => {
    const { verdict, question } = turn.conversation.decide({ id, name, params })
    if (verdict !== 'ask') return undefined
    generation.drop({ id, name, params })
    return { type: 'user-approval', ...(question !== null && { reason: question.message }) }
  }
}

function checkTurn(turn: Partial<Turn> | undefined | null): void {
  if (typeof turn?.step === 'function') return
  const got = typeof turn === 'object' && turn !== null ? 'an object without step()' : String(turn)
  throw new CurfewError('INVALID_OPTION', `turn: expected a turn, from conversation.turn(), got ${got}`, {
    field: 'turn',
  })
}

function readApproval(options: AiSdkToolsOptions): Approval {
  const { approval = 'runtime', ...unknown } = options
  const [field] = Object.keys(unknown)
  if (field !== undefined)
    throw new CurfewError('INVALID_OPTION', `${field}: unknown option; expected approval`, { field })
  if (approval !== 'runtime' && approval !== 'sdk') {
    const message = `approval: expected "runtime" or "sdk", got ${JSON.stringify(approval)}`
    throw new CurfewError('INVALID_OPTION', message, { field: 'approval' })
  }
  return approval
}
