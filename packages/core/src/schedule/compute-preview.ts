import { copyValidated } from '../call/copy-params.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { capText } from '../output/head-tail.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from '../store/call.ts'
import { collapsePadding } from '../text/collapse-padding.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import type { Tool } from '../tool/tool.ts'

/** The question waits this long for its preview. */
const timeoutMs = 3_000
/** The length before escaping. */
const maxLength = 16_000

/** An error if the call cannot succeed; `null` if there is no preview. */
export type PreviewResult = string | CurfewError | null

export interface PendingPreview {
  /** Never rejects. */
  readonly preview: Promise<PreviewResult>
  /** Ends the preview with `null`. */
  cancel(): void
}

const noPreview: PendingPreview = { preview: Promise.resolve(null), cancel() {} }

/** Runs a tool's `preview` for the person who is asked to approve a call. A failure is logged. */
export function computePreview(
  tool: Tool,
  { uid, params }: Pick<Call, 'uid' | 'params'>,
  { clock, redactor, log }: Pick<RuntimeSettings, 'clock' | 'redactor' | 'log'>,
): PendingPreview {
  if (tool.preview === undefined) return noPreview
  const run = tool.preview
  const controller = new AbortController()
  const { promise, resolve: end } = Promise.withResolvers<PreviewResult>()
  const stop = (): void => {
    end(null)
    controller.abort()
  }
  const fail = (problem: string, error?: unknown): void => {
    if (!controller.signal.aborted)
      log({ level: 'warn', message: `the preview of ${tool.name} ${problem}`, error })
    stop()
  }
  const timer = clock.setTimer(timeoutMs, () => fail(`took longer than ${formatDuration(timeoutMs)}`))
  // A copy, because the tool could change what was validated.
  new Promise<unknown>((resolve) =>
    resolve(run(copyValidated(params) as never, { uid, signal: controller.signal })),
  ).then(
    (result) => {
      if (typeof result === 'string') end(result === '' ? null : show(result, redactor))
      else if (result instanceof CurfewError) end(result)
      else fail(`returned ${describeValue(result)} instead of a string`)
    },
    (error: unknown) => fail('failed', error),
  )
  return { preview: promise.finally(() => clock.clearTimer(timer)), cancel: stop }
}

/** Redacted before it is cut: half a secret would not be recognized. Tabs are kept, because code is indented with them. */
function show(text: string, redactor: Redactor): string {
  const lines = capText(redactor.text(text), maxLength).split('\n').map(collapsePadding)
  return lines.join('\n').split('\t').map(escapeInvisible).join('\t')
}
