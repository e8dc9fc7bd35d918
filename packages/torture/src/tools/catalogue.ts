import type { ToolContext } from '../adapter/adapter.ts'
import * as orderTools from './order-tools.ts'
import * as outputTools from './output-tools.ts'
import * as resultTools from './result-tools.ts'
import * as timeTools from './time-tools.ts'

/** A tool of the suite. */
export interface TortureTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly readOnly: boolean
  /** Calls that share one must not run at the same time; `null` if that is unknown. */
  readonly resources: readonly string[] | null
  readonly execute: (params: never, context: ToolContext) => unknown
  /** The module and the export of `execute`. */
  readonly module: URL
  readonly exportName: string
}

type Properties = Readonly<Record<string, object>>

interface Details {
  readonly properties?: Properties
  readonly required?: readonly string[]
  readonly readOnly?: boolean
  readonly resources?: readonly string[] | null
}

const text = { type: 'string' }
const integer = { type: 'integer' }

function group(
  file: string,
  exports: Readonly<Record<string, unknown>>,
  tools: Readonly<Record<string, readonly [exportName: string, description: string, details?: Details]>>,
): TortureTool[] {
  return Object.entries(tools).map(([name, [exportName, description, details = {}]]) => {
    const { properties = {}, required = Object.keys(properties), readOnly = true, resources = [] } = details
    return {
      name,
      description,
      parameters: { type: 'object', properties, required },
      readOnly,
      resources,
      execute: exports[exportName] as TortureTool['execute'],
      module: new URL(file, import.meta.url),
      exportName,
    }
  })
}

const ms = { properties: { ms: integer } }

/** All tools, by name. */
export const catalogue: ReadonlyMap<string, TortureTool> = new Map(
  [
    ...group('./time-tools.js', timeTools, {
      quick: ['quick', 'Return a text.', { properties: { text }, required: [] }],
      sleeps: ['sleeps', 'Wait for a number of milliseconds.', ms],
      never: ['never', 'Never return.'],
      'ignores-signal': ['ignoresSignal', 'Ignore the signal to stop.'],
      blocks: ['blocks', 'Block the event loop.'],
      'blocks-for': ['blocksFor', 'Block the event loop for a number of milliseconds.', ms],
      'blocks-in-slices': ['blocksInSlices', 'Block the event loop most of the time.'],
      'starves-timers': ['starvesTimers', 'Settle promises without end.'],
      'waits-synchronously': ['waitsSynchronously', 'Wait in the thread without end.'],
      'floods-event-loop': ['floodsEventLoop', 'Keep the event loop busy.'],
      'returns-late': ['returnsLate', 'Return after a number of milliseconds.', ms],
      'throws-late': ['throwsLate', 'Throw after a number of milliseconds.', ms],
      trickles: ['trickles', 'Write a line every 50 ms.'],
      progresses: ['progresses', 'Report progress every 50 ms.'],
      'hangs-in-cleanup': ['hangsInCleanup', 'Hang while cleaning up.'],
      'throws-in-listener': ['throwsInListener', 'Throw when told to stop.'],
      'hangs-after-output': ['hangsAfterOutput', 'Write a line and hang.'],
      'moves-clock': ['movesClock', 'Set the clock and hang.', { properties: { hours: integer } }],
      'calls-never': ['callsNever', 'Call a tool that never returns.'],
      'generates-forever': ['generatesForever', 'Generate results without end.'],
      'thenable-that-hangs': ['thenableThatHangs', 'Return a thenable that never calls back.'],
    }),
    ...group('./result-tools.js', resultTools, {
      'resolves-twice': ['resolvesTwice', 'Resolve twice.'],
      'resolves-and-rejects': ['resolvesAndRejects', 'Resolve and reject.'],
      'rejects-and-resolves': ['rejectsAndResolves', 'Reject and resolve.'],
      'resolves-and-throws': ['resolvesAndThrows', 'Resolve and throw.'],
      'then-that-throws': ['thenThatThrows', 'Throw when `then` is read.'],
      'throws-after-return': ['throwsAfterReturn', 'Throw after the return.'],
      'rejects-after-return': ['rejectsAfterReturn', 'Reject after the return.'],
      'emits-error-after-return': ['emitsErrorAfterReturn', 'Emit an error after the return.'],
      'settles-when-aborted': ['settlesWhenAborted', 'Return a result only when aborted.', ms],
      'reports-after-return': ['reportsAfterReturn', 'Write output after the return.'],
      rejects: ['rejects', 'Reject with a value.', { properties: { with: text } }],
      throws: ['throws', 'Throw a value.', { properties: { with: text } }],
      returns: ['returns', 'Return a value.', { properties: { value: text } }],
      'changes-result': ['changesResult', 'Change the result after returning it.'],
      'changes-params': ['changesParams', 'Change the arguments.', { properties: { text } }],
      'reads-prototype': ['readsPrototype', 'Tell whether the prototype of all objects was changed.'],
      'changes-globals': ['changesGlobals', 'Replace JSON.parse for a moment.'],
    }),
    ...group('./output-tools.js', outputTools, {
      'returns-text': ['returnsText', 'Return a text of a size.', { properties: { bytes: integer } }],
      'returns-texts': [
        'returnsTexts',
        'Return texts of a size.',
        { properties: { count: integer, bytes: integer } },
      ],
      'returns-special-text': ['returnsSpecialText', 'Return a special text.', { properties: { text } }],
      'returns-binary': ['returnsBinary', 'Return bytes.'],
      'outputs-chunks': ['outputsChunks', 'Write chunks.', { properties: { count: integer, size: integer } }],
      'outputs-forever': ['outputsForever', 'Write without end.'],
      'outputs-halves': ['outputsHalves', 'Write a character in two halves.'],
    }),
    ...group('./order-tools.js', orderTools, {
      'write-value': [
        'writesValue',
        'Write the stored value.',
        { properties: { value: text }, readOnly: false, resources: ['value'] },
      ],
      'read-value': ['readsValue', 'Read the stored value.', { resources: ['value'] }],
      increment: ['increments', 'Add one to the count.', { readOnly: false, resources: ['count'] }],
      fails: ['fails', 'Fail.'],
      effect: [
        'effect',
        'Do something that must not be done twice.',
        { properties: { name: text }, required: [], readOnly: false, resources: null },
      ],
      'slow-effect': [
        'slowEffect',
        'Do something slowly that must not be done twice.',
        { properties: { name: text, ms: integer }, readOnly: false, resources: null },
      ],
      'fails-once': ['failsOnce', 'Fail the first time.', { readOnly: false, resources: null }],
      recurses: ['recurses', 'Call itself.', { properties: { depth: integer }, required: [] }],
    }),
  ].map((tool) => [tool.name, tool]),
)
