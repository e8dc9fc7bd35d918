import { type Attributes, context, metrics, propagation, type SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'

export interface RecordedMetric {
  readonly name: string
  readonly attributes: Attributes
  readonly count: number
  readonly sum: number
  readonly boundaries: readonly number[]
}

export interface SpanRecorder extends AsyncDisposable {
  /** In the order of their ends. */
  spans(): ReadableSpan[]
  /** The only span with this name. */
  span(name: string): ReadableSpan
  /** The spans as indented names, in the order of their starts. */
  tree(): string[]
  metrics(): Promise<RecordedMetric[]>
  /** Spans that were started and have not ended. */
  readonly open: ReadonlySet<string>
}

/** Registers the OpenTelemetry SDK in this process until it is disposed. */
export function recordSpans(...processors: SpanProcessor[]): SpanRecorder {
  const exporter = new InMemorySpanExporter()
  const open = new Set<string>()
  /** The times of the SDK are exact to a millisecond only. */
  const started: string[] = []
  const counter: SpanProcessor = {
    onStart(span) {
      open.add(`${span.name} ${span.spanContext().spanId}`)
      started.push(span.spanContext().spanId)
    },
    onEnd: (span) => void open.delete(`${span.name} ${span.spanContext().spanId}`),
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const provider = new BasicTracerProvider({
    spanProcessors: [counter, new SimpleSpanProcessor(exporter), ...processors],
  })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meterProvider = new MeterProvider({
    readers: [
      new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 }),
    ],
  })
  trace.setGlobalTracerProvider(provider)
  metrics.setGlobalMeterProvider(meterProvider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const spans = (): ReadableSpan[] => exporter.getFinishedSpans()
  return {
    open,
    spans,
    span(name) {
      const found = spans().filter((span) => span.name === name)
      if (found.length === 1) return found[0]!
      const all = spans().map((span) => span.name)
      throw new Error(`expected one span ${name}, got ${found.length} of ${JSON.stringify(all)}`)
    },
    tree: () => treeOf(spans(), started),
    async metrics() {
      await meterProvider.forceFlush()
      const last = metricExporter.getMetrics().at(-1)
      const found = last?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
      return found.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          const {
            count,
            sum = 0,
            buckets,
          } = value as {
            count: number
            sum?: number
            buckets: { boundaries: number[] }
          }
          return { name: descriptor.name, attributes, count, sum, boundaries: buckets.boundaries }
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      for (const api of [trace, metrics, context, propagation]) api.disable()
      await provider.shutdown().catch(() => {})
      await meterProvider.shutdown().catch(() => {})
    },
  }
}

function treeOf(spans: readonly ReadableSpan[], started: readonly string[]): string[] {
  const idOf = (span: ReadableSpan): string => span.spanContext().spanId
  const sorted = spans.toSorted((a, b) => started.indexOf(idOf(a)) - started.indexOf(idOf(b)))
  const ids = new Set(spans.map(idOf))
  const isRoot = ({ parentSpanContext }: ReadableSpan): boolean => !ids.has(parentSpanContext?.spanId ?? '')
  const lines = (span: ReadableSpan, indent: string): string[] => [
    indent + span.name,
    ...sorted
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === idOf(span))
      .flatMap((child) => lines(child, `${indent}  `)),
  ]
  return sorted.filter(isRoot).flatMap((span) => lines(span, ''))
}

export const kinds: Record<'INTERNAL' | 'CLIENT', SpanKind> = { INTERNAL: 0, CLIENT: 2 }

/** A promise that the test settles. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
