import type { CallResult } from '../call/call-result.ts'
import { type CallRequest, readCall, readCalls } from '../call/read-calls.ts'
import type { ToolCall } from '../call/tool-call.ts'
import { ConversationState } from '../conversation/conversation-state.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { oneOf } from '../options/check-option.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { SlotGroup } from '../order/slots.ts'
import { SpillDirectory } from '../output/spill-directory.ts'
import { ApprovalRules } from '../policy/approval-rules.ts'
import type { AskPerson } from '../policy/ask-person.ts'
import { cancelledError } from '../schedule/cancelled-error.ts'
import { decideCall } from '../schedule/decide-call.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { Batch } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import type {
  Conversation,
  ConversationOptions,
  Reservation,
  Step,
  Turn,
  TurnOptions,
} from '../tool/conversation.ts'
import { defineSearchTool, type SearchableTool } from '../tool/search-tool.ts'
import type { InputRequest } from '../tool/tool-context.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { type ToolView, toolView, type View, views } from '../tool/tool-views.ts'
import type { WebAbortSignal } from '../web-types.ts'
import { askInConversation } from './ask-in-conversation.ts'
import { resolveConversationOptions, resolveMode } from './conversation-options.ts'
import { checkBatchOptions, checkTurnOptions } from './execute-options.ts'
import { overlappingCalls } from './overlapping-calls.ts'

interface ConversationServices {
  readonly settings: RuntimeSettings
  readonly tools: ToolRegistry
  readonly person: AskPerson
  readonly scheduler: Scheduler
  readonly store: CallStore
  /** Throws if the runtime is closed. */
  assertOpen(): void
}

/** Creates conversations, turns and steps, and the objects through which a program uses them. */
export class Conversations {
  /** The conversation of `runtime.execute`. */
  readonly main: ConversationState
  readonly #services: ConversationServices
  readonly #clients = new ClientSlots()
  /** The open conversations, except for those inside a call, which end with it. */
  readonly #open = new Set<ConversationState>()
  readonly #turns = new WeakMap<Turn, TurnState>()
  #count = 0

  constructor(services: ConversationServices) {
    const { settings } = services
    this.#services = services
    this.main = new ConversationState(settings, {
      id: 'default',
      parentTurn: null,
      tools: null,
      view: settings.view,
      limits: settings.limits,
      approval: null,
      client: null,
      slotGroup: new SlotGroup(),
      spill: new SpillDirectory(settings.spillDirectory),
      ownsFiles: true,
      rememberAnswers: true,
      beforeChanges: null,
      reserveMs: 0,
    })
  }

  /** Opens a conversation, possibly inside a running call. */
  open(options: ConversationOptions, parent: Call | null): Conversation {
    this.#services.assertOpen()
    const { settings, person, tools } = this.#services
    const parentTurn = parent?.batch.turn ?? null
    const outer = parentTurn?.conversation ?? this.main
    const { ask, keepFiles, approval, search, ...resolved } = resolveConversationOptions(options, outer)
    const { client } = resolved
    const state = new ConversationState(settings, {
      ...resolved,
      id: `c${++this.#count}`,
      parentTurn,
      approval: {
        default: approval?.default ?? 'allow',
        rules: approval && new ApprovalRules(approval.rules),
        mode: null,
      },
      slotGroup: client === null ? new SlotGroup() : this.#clients.join(client),
      spill: keepFiles ? this.main.spill : new SpillDirectory(settings.spillDirectory),
      ownsFiles: !keepFiles,
    })
    if (search) state.searchTool = defineSearchTool(() => searchable(tools, state))
    if (ask !== undefined) person.addHandler(ask, state)
    if (parent === null) this.#open.add(state)
    else {
      parent.conversations = (parent.conversations ?? new Set()).add(state)
      state.background = parent.background
    }
    return this.#conversation(state, parent)
  }

  #conversation(state: ConversationState, parent: Call | null): Conversation {
    const { person, scheduler } = this.#services
    let closing: Promise<void> | null = null
    const conversation: Conversation = {
      id: state.id,
      get signal() {
        return state.signal
      },
      turn: (options = {}) => this.#openTurn(conversation, state, parent, options),
      execute: (calls, options = {}) => this.#execute(state.createBatchTurn(), parent, calls, options),
      continue: () => state.continue(),
      get view() {
        return state.view
      },
      setView: (view) => {
        state.view = oneOf(view, views, 'view')
      },
      listTools: (view = state.view) => this.#listTools(state, view),
      loadedTools: () => state.loadedNames,
      setLoadedTools: (names) => state.setLoaded(names),
      saveText: (name, text, options = {}) => this.#saveText(state, name, text, options.signal),
      decide: (call) => decideCall(scheduler, readCall(call, 'call'), state.createBatchTurn()),
      setMode: (mode) => {
        // Every conversation that a program can use has its own approval.
        state.approvals.at(-1)!.mode = mode === null ? null : resolveMode(mode)
      },
      ask: (question, options = {}) => this.#ask(state, parent, question, options),
      onQuestion: (handler) => person.addHandler(handler, state),
      close: () => {
        closing ??= this.#close(state, parent)
        return closing
      },
    }
    return conversation
  }

  #listTools(state: ConversationState, view: View): ToolView[] {
    const { tools } = this.#services
    const list = tools.list(view, (name) => state.offers(name))
    const { searchTool } = state
    const isAdded = view === 'stub' && searchTool !== null && tools.get(searchTool.name) === undefined
    return isAdded ? [...list, toolView(searchTool, view)] : list
  }

  async #saveText(
    state: ConversationState,
    name: string,
    text: string,
    signal: WebAbortSignal = new AbortController().signal,
  ): Promise<string> {
    this.#assertOpen(state)
    const path = await state.spill.write(name, this.#services.settings.redactor.text(text), signal)
    if (signal.aborted) throw new CurfewError('CANCELLED', 'saveText: the signal was aborted')
    return path
  }

  async #ask(
    state: ConversationState,
    parent: Call | null,
    question: InputRequest,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<string> {
    this.#assertOpen(state)
    checkBatchOptions(options)
    const { person, scheduler, settings } = this.#services
    const services = { person, services: scheduler.services, redactor: settings.redactor }
    return await askInConversation(services, state, currentCall(parent), question, options.signal)
  }

  async #close(state: ConversationState, parent: Call | null): Promise<void> {
    await this.#services.scheduler.stopper.closeConversation(state)
    this.#open.delete(state)
    currentCall(parent)?.conversations?.delete(state)
  }

  /** Removes the files of conversations that were not closed. */
  async closeFiles(): Promise<void> {
    await Promise.all([this.main, ...this.#open].map((state) => state.closeFiles()))
  }

  #openTurn(
    conversation: Conversation,
    state: ConversationState,
    parent: Call | null,
    options: TurnOptions,
  ): Turn {
    this.#assertOpen(state)
    checkTurnOptions(options)
    const { origin = 'model', budget } = options
    // Inside a call, tool code decides, not a person.
    if (origin === 'person' && parent !== null)
      throw unexpectedOption('origin', "'model' inside a call", origin)
    const counter = budget === undefined ? null : this.#turns.get(budget)
    if (counter === undefined) throw unexpectedOption('budget', 'a turn of this runtime', budget)
    if (counter !== null && parent !== null)
      throw unexpectedOption('budget', 'none inside a call, whose turn counts its calls', budget)
    const turnState = state.createTurn({ origin, budget: counter })
    const { scheduler } = this.#services
    const openStep = (): Step => this.#step(scheduler.steps.create(turnState, currentCall(parent)))
    const turn: Turn = {
      id: turnState.id!,
      conversation,
      run: overlappingCalls(openStep),
      execute: (calls, options = {}) => this.#execute(turnState, parent, calls, options),
      step: openStep,
      status: () => turnState.status(),
      cancel: (reason = 'by the caller') => scheduler.stopper.stopTurn(turnState, cancelledError(reason)),
    }
    this.#turns.set(turn, turnState)
    return turn
  }

  async #execute(
    turn: TurnState,
    parent: Call | null,
    calls: readonly ToolCall[],
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallResult[]> {
    this.#assertOpen(turn.conversation)
    const requests = readCalls(calls)
    checkBatchOptions(options)
    return await this.#services.scheduler.run(requests, {
      turn,
      parent: currentCall(parent),
      signal: options.signal,
    })
  }

  #step(step: Batch): Step {
    const { scheduler } = this.#services
    return {
      reserve: (call) => {
        this.#assertOpen(step.turn.conversation)
        if (step.closed) throw new CurfewError('INVALID_OPTION', 'reserve: the step is closed')
        return this.#reserve(step, readCall(call, 'call'))
      },
      close: () => scheduler.steps.close(step),
    }
  }

  #reserve(step: Batch, request: CallRequest): Reservation {
    const { scheduler, store } = this.#services
    const { promise: result, resolve: settle } = Promise.withResolvers<CallResult>()
    const call = scheduler.steps.reserve(step, request, settle)
    return {
      uid: call.uid,
      run: (options = {}) => {
        checkBatchOptions(options)
        scheduler.steps.start(call, options.signal)
        return result
      },
      release: () => scheduler.steps.release(call),
      subscribe: (listener) => store.subscribeCall(call.uid, listener),
    }
  }

  #assertOpen({ closed, id }: ConversationState): void {
    this.#services.assertOpen()
    if (closed) throw new CurfewError('CONVERSATION_CLOSED', `the conversation ${id} is closed`)
  }
}

function searchable(tools: ToolRegistry, state: ConversationState): SearchableTool[] {
  return tools
    .offered((name) => state.offers(name))
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameterNames: tool.parameterNames,
      definition: () => toolView(tool, 'brief'),
    }))
}

/** A call that continues in the background is continued by its task. */
function currentCall(call: Call | null): Call | null {
  return call?.task ?? call
}

/** The slots of each client that has a conversation. */
class ClientSlots {
  readonly #groups = new Map<string, WeakRef<SlotGroup>>()
  #sweepAt = minSweep

  /** The conversations of one client share a group. */
  join(client: string): SlotGroup {
    const known = this.#groups.get(client)?.deref()
    if (known !== undefined) return known
    if (this.#groups.size >= this.#sweepAt) this.#sweep()
    const group = new SlotGroup()
    this.#groups.set(client, new WeakRef(group))
    return group
  }

  /** Removes clients without conversations. Not for every new client: there may be thousands. */
  #sweep(): void {
    for (const [name, group] of this.#groups) if (group.deref() === undefined) this.#groups.delete(name)
    this.#sweepAt = Math.max(minSweep, 2 * this.#groups.size)
  }
}

const minSweep = 64
