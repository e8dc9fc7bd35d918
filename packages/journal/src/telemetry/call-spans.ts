import type { CallResult, Middleware, Runtime, Transition } from '@curfew/core'
import type { Attributes, Context, Link, SpanContext } from '@opentelemetry/api'
import * as names from './attributes.ts'
import { boundedContent, boundedName } from './bounded-text.ts'
import { type CallSpanDescription, describeCallEnd, describeCallSpan } from './describe-call-span.ts'
import type { TracedRuntime } from './traced-runtime.ts'
import type { OpenSpan, Tracing } from './tracing.ts'

/** A call that has not ended. */
interface OpenCall {
  readonly conversation: string
  readonly parent: Context
  /** To the span of the call that it continues in the background, or of the transport that the caller used. */
  readonly links: Link[]
  /** By `performance.now()`. */
  readonly requestedAt: number
  askedAt: number | null
  approvalMs: number
  /** `null` until it runs. */
  running: RunningCall | null
}

interface RunningCall extends OpenSpan {
  readonly metric: CallSpanDescription['metric']
}

/** The spans of a runtime's calls: from the start of the tool to the end of the call. */
export class CallSpans {
  readonly #tracing: Tracing
  readonly #runtime: Runtime
  readonly #traced: TracedRuntime
  readonly #content: boolean
  readonly #calls = new Map<number, OpenCall>()
  readonly #descriptions = new Map<string, string>()

  constructor(tracing: Tracing, runtime: Runtime, traced: TracedRuntime, content: boolean) {
    this.#tracing = tracing
    this.#runtime = runtime
    this.#traced = traced
    this.#content = content
  }

  onTransition(transition: Transition): void {
    this.#tracing.safely(() => this.#observe(transition))
  }

  #observe(transition: Transition): void {
    const { uid, from, to, state } = transition
    const known = this.#calls.get(uid)
    // Of a call that was running before, the beginning is unknown.
    if (known === undefined && from !== null && to !== 'executing') return
    const call = known ?? this.#add(transition)
    if (to === 'awaiting_approval') call.askedAt = performance.now()
    else if (call.askedAt !== null) {
      call.approvalMs += performance.now() - call.askedAt
      call.askedAt = null
    }
    if (to === 'executing') this.#start(call, transition)
    if (!('result' in state)) return
    // A call that never ran has a span without a duration.
    const didRun = call.running !== null
    if (!didRun) this.#start(call, transition)
    this.#end(call, transition, didRun)
  }

  /** Middleware: the span is active inside the tool, and servers and programs that it uses learn about it. */
  readonly run: Middleware = (call, next) => {
    const running = this.#calls.get(call.uid)?.running
    if (running == null) return next()
    const { span, context } = running
    this.#tracing.safely(() => {
      if (call.attempt > 1) span.addEvent(names.retryEvent, { [names.attempt]: call.attempt })
      const carrier: Record<string, string> = {}
      this.#tracing.api.propagation.inject(context, carrier)
      call.setTraceContext(carrier)
    })
    return this.#tracing.runIn(context, next)
  }

  endAll(): void {
    for (const [uid, { running }] of this.#calls) {
      this.#traced.calls.delete(uid)
      if (running !== null) this.#tracing.end(running, {}, null)
    }
    this.#calls.clear()
  }

  #add(transition: Transition): OpenCall {
    const call: OpenCall = {
      conversation: transition.call.conversation,
      ...this.#parentOf(transition.call),
      requestedAt: performance.now(),
      askedAt: null,
      approvalMs: 0,
      running: null,
    }
    this.#calls.set(transition.uid, call)
    return call
  }

  /** Called with the first transition, which happens in the async context of whoever requested the call. */
  #parentOf(call: Transition['call']): Pick<OpenCall, 'parent' | 'links'> {
    const { continues, parentUid, conversation, traceContext } = call
    const continued = continues === null ? undefined : this.#calls.get(continues)
    if (continued !== undefined)
      return { parent: continued.parent, links: this.#linkTo(continued.running?.context) }
    const { active } = this.#tracing
    const outer = parentUid === null ? undefined : this.#calls.get(parentUid)
    const turn = this.#traced.turnOf(call)?.context
    // An agent inside a call has a conversation of its own, and its turn is between that call and this one.
    const around =
      outer?.conversation === conversation ? outer.running?.context : (turn ?? outer?.running?.context)
    if (around !== undefined) {
      // What a background task does is still in the context of the call that it continues.
      const ended = outer?.links[0]?.context.spanId
      return { parent: this.#tracing.innermost(around, ended), links: [] }
    }
    const remote = parentUid === null ? this.#tracing.extract(traceContext) : null
    if (remote === null) return { parent: active, links: [] }
    // What the caller sent comes before the transport that it used, as the conventions for MCP require.
    return { parent: remote, links: this.#linkTo(active) }
  }

  #linkTo(context: Context | undefined): Link[] {
    const span: SpanContext | undefined = context && this.#tracing.api.trace.getSpanContext(context)
    return span === undefined ? [] : [{ context: span }]
  }

  #start(call: OpenCall, transition: Transition): void {
    const { uid } = transition
    const { conversation, parent, links } = call
    const agent = this.#traced.turnOf(transition.call)?.agent ?? null
    const described = describeCallSpan(transition, agent)
    const open = this.#tracing.start({
      name: described.name,
      kind: this.#tracing.api.SpanKind[described.kind],
      parent,
      links,
      attributes: {
        ...described.attributes,
        [names.conversationId]: boundedName(this.#traced.conversationId(conversation)),
        [names.waitedMs]: Math.round(performance.now() - call.requestedAt),
        ...(call.approvalMs > 0 && { [names.approvalMs]: Math.round(call.approvalMs) }),
      },
    })
    if (open === null) return
    call.running = { ...open, metric: described.metric }
    this.#traced.calls.set(uid, open.context)
  }

  #end(call: OpenCall, transition: Transition, didRun: boolean): void {
    const { uid, id, name, state, call: details } = transition
    this.#calls.delete(uid)
    this.#traced.calls.delete(uid)
    const { running } = call
    if (running === null || !('result' in state)) return
    const { result } = state
    const error = result.status === 'success' ? null : result.code
    const isLoaded = result.status === 'success' && result.loaded
    if (didRun && !isLoaded && running.metric !== null)
      this.#tracing.record('executeTool', running, {
        ...running.metric,
        ...(error !== null && { [names.errorType]: error }),
      })
    // What the model wrote is recorded last: the call itself may have read the secret that has to be removed from it.
    const attributes = this.#tracing.safely<Attributes>(
      () => ({
        ...describeCallEnd(details, result),
        [names.toolCallId]: boundedName(this.#runtime.redact(id)),
        ...(this.#content && this.#contentOf(name, details, result)),
      }),
      {},
    )
    const message = this.#content && result.status !== 'success' ? boundedContent(result.message) : undefined
    this.#tracing.end(running, attributes, error, message)
  }

  #contentOf(name: string, { args }: Transition['call'], result: CallResult): Attributes {
    const description = this.#descriptionOf(name)
    return {
      [names.toolArguments]: boundedContent(args),
      ...(description !== undefined && { [names.toolDescription]: boundedContent(description) }),
      ...(result.status === 'success' && { [names.toolResult]: boundedContent(result.content) }),
    }
  }

  #descriptionOf(name: string): string | undefined {
    const known = this.#descriptions.get(name)
    if (known !== undefined) return known
    const description = this.#runtime.listTools('brief').find((tool) => tool.name === name)?.description
    if (description !== undefined) this.#descriptions.set(name, this.#runtime.redact(description))
    return this.#descriptions.get(name)
  }
}
