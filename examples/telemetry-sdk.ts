// Registers the OpenTelemetry SDK and writes every span as a line of JSON. Also for the command:
// NODE_OPTIONS="--import ./telemetry-sdk.ts" curfew -p "..."
import { appendFileSync } from 'node:fs'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'

const file = process.env.SPANS_FILE ?? 'spans.jsonl'

const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, attributes, parentSpanContext, duration, status } = span
      const { traceId, spanId } = span.spanContext()
      const parent = parentSpanContext?.spanId ?? null
      const seconds = duration[0] + duration[1] / 1e9
      const line = { name, traceId, spanId, parent, seconds, attributes, status }
      appendFileSync(file, `${JSON.stringify(line)}\n`)
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
}

trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
)
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
