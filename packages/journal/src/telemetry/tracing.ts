import type { TraceContext } from '@curfew/core/internal'
import type {
  Attributes,
  Context,
  Histogram,
  Link,
  Span,
  SpanContext,
  SpanKind,
  Tracer,
} from '@opentelemetry/api'
import { journalVersion } from '../journal-version.ts'
import { buckets, errorType, metrics } from './attributes.ts'
import { type Api, loadApi } from './load-api.ts'

const scope = '@curfew/journal'

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly parent: Context
  readonly attributes: Attributes
  readonly links?: Link[]
}

/** A span that has been started. */
export interface OpenSpan {
  readonly span: Span
  /** With the span. */
  readonly context: Context
  /** By `performance.now()`. */
  readonly startedAt: number
}

/** OpenTelemetry, whose errors never reach a call: a span processor, an exporter or a context manager may throw anywhere. */
export class Tracing {
  readonly api: Api = loadApi()
  #tracer: Tracer | null = null
  readonly #histograms = new Map<keyof typeof metrics, Histogram>()
  readonly #version = journalVersion()
  readonly #conversationKey = this.api.createContextKey('curfew.conversation')
  #hasReported = false

  /** `null` if it fails. */
  start({ name, kind, parent, attributes, links }: SpanStart): OpenSpan | null {
    return this.safely(() => {
      this.#tracer ??= this.api.trace.getTracer(scope, this.#version)
      const span = this.#tracer.startSpan(name, { kind, attributes, ...(links && { links }) }, parent)
      return { span, context: this.api.trace.setSpan(parent, span), startedAt: performance.now() }
    }, null)
  }

  /** `error` is the value of `error.type`, `null` for a success. */
  end({ span }: OpenSpan, attributes: Attributes, error: string | null, message?: string): void {
    this.safely(() => {
      span.setAttributes(attributes)
      if (error === null) return
      span.setAttribute(errorType, error)
      span.setStatus({
        code: this.api.SpanStatusCode.ERROR,
        ...(message !== undefined && { message }),
      })
    })
    // Also if one of the attributes was rejected.
    this.safely(() => span.end())
  }

  /** Records how long a span took. */
  record(metric: keyof typeof metrics, { startedAt, context }: OpenSpan, attributes: Attributes): void {
    this.safely(() => {
      const seconds = (performance.now() - startedAt) / 1_000
      this.#histogram(metric).record(seconds, attributes, context)
    })
  }

  #histogram(metric: keyof typeof metrics): Histogram {
    const known = this.#histograms.get(metric)
    if (known !== undefined) return known
    const histogram = this.api.metrics.getMeter(scope, this.#version).createHistogram(metrics[metric], {
      unit: 's',
      advice: { explicitBucketBoundaries: [...buckets[metric]] },
    })
    this.#histograms.set(metric, histogram)
    return histogram
  }

  /** Runs a function with this context as the active one. It runs exactly once, whatever the context manager does. */
  runIn<T>(context: Context, run: () => T): T {
    let ended: (() => T) | undefined
    this.safely(() =>
      this.api.context.with(context, () => {
        try {
          const value = run()
          ended = () => value
        } catch (error) {
          ended = () => {
            throw error
          }
        }
      }),
    )
    return ended === undefined ? run() : ended()
  }

  get active(): Context {
    return this.safely(() => this.api.context.active(), this.api.ROOT_CONTEXT)
  }

  /** The active context if it belongs to the same trace, so that it is inside `known`; otherwise, and for the span `except`, `known`. */
  innermost(known: Context, except?: string): Context {
    const { active } = this
    const span = this.#spanOf(active)
    const isInside = span !== undefined && span.traceId === this.#spanOf(known)?.traceId
    return isInside && span.spanId !== except ? active : known
  }

  /** The conversation that requests to models in this context belong to. */
  withConversation(context: Context, id: string): Context {
    return this.safely(() => context.setValue(this.#conversationKey, id), context)
  }

  conversationOf(context: Context): string | null {
    const id = this.safely(() => context.getValue(this.#conversationKey))
    return typeof id === 'string' ? id : null
  }

  hasSpan(context: Context): boolean {
    return this.#spanOf(context) !== undefined
  }

  /** The context that another process sent; `null` if there is none, or the configured propagators do not know it. */
  extract(carrier: TraceContext | null): Context | null {
    if (carrier === null) return null
    const { propagation, ROOT_CONTEXT } = this.api
    const context = this.safely(() => propagation.extract(ROOT_CONTEXT, carrier), ROOT_CONTEXT)
    return this.hasSpan(context) ? context : null
  }

  #spanOf(context: Context): SpanContext | undefined {
    const { trace, isSpanContextValid } = this.api
    const span = trace.getSpanContext(context)
    return span !== undefined && isSpanContextValid(span) ? span : undefined
  }

  /** Calls a function of OpenTelemetry. The first error is reported to its own diagnostics. */
  safely<T>(run: () => T): T | undefined
  safely<T>(run: () => T, fallback: T): T
  safely<T>(run: () => T, fallback?: T): T | undefined {
    try {
      return run()
    } catch (error) {
      this.#report(error)
      return fallback
    }
  }

  #report(error: unknown): void {
    if (this.#hasReported) return
    this.#hasReported = true
    try {
      this.api.diag.error(
        'curfew: a span or metric could not be recorded; later errors are not reported',
        error,
      )
    } catch {
      // There is nobody left to tell.
    }
  }
}
