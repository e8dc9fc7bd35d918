/** A reference with one behaviour that is wrong. */
export interface Mutant {
  readonly fault: string
  /** Each of these must fail. */
  readonly cases: readonly string[]
  /** Calls only come from the model. */
  readonly onlyConversation?: true
}

export const mutants = {
  // Slow ones are first, so that they wait beside the others.
  'waits-for-servers': {
    fault: 'waits for a server that does not start',
    cases: ['remote/server-silent-at-start'],
  },
  'reads-no-errors-of-servers': {
    fault: 'lets the standard error of a server fill its pipe',
    cases: ['remote/flood-of-errors'],
  },

  // Time
  'no-limit': { fault: 'has no limit for calls', cases: ['time/never-returns', 'time/ignores-signal'] },
  'waits-for-the-tool': {
    fault: 'tells the tool to stop, and waits until it does',
    cases: [
      'time/floods-event-loop',
      'time/hangs-in-cleanup',
      'time/throws-in-abort-listener',
      'time/thenable-never-settles',
      'ending/settles-after-cancel',
      'ending/cancel-at-the-limit',
    ],
  },
  'in-process': {
    fault: 'runs tools in the thread that keeps the clocks',
    cases: [
      'time/starves-timers',
      'time/waits-synchronously',
      'time/block-beside-a-fast-call',
      'ending/throws-after-return',
      'ending/rejects-after-return',
      'ending/emits-error-after-return',
      'ending/cancel-of-a-blocking-tool',
    ],
  },
  'keeps-blocked-thread': {
    fault: 'goes on with a thread that a tool blocks',
    cases: ['time/blocks-event-loop'],
  },
  'counts-ticks': {
    fault: 'counts the ticks of a timer in the thread of the tool',
    cases: ['time/blocks-in-slices'],
  },
  'progress-extends': {
    fault: 'starts the limit anew with each progress',
    cases: ['time/progress-does-not-extend'],
  },
  'output-extends': {
    fault: 'starts the limit anew with each output',
    cases: ['time/output-does-not-extend'],
  },
  'generators-have-no-limit': {
    fault: 'stops the clock when a tool returns a generator',
    cases: ['time/generator-never-ends'],
  },
  'wall-clock': { fault: 'uses Date.now for limits', cases: ['time/clock-set-ahead', 'time/clock-set-back'] },
  'late-results-are-kept': { fault: 'gives a late result to the next call', cases: ['time/late-result'] },
  'unknown-calls-throw': {
    fault: 'throws when a call that has ended reports something',
    cases: ['time/late-error', 'ending/reports-after-return'],
  },
  'fixed-limit': { fault: 'has the same limit for all calls', cases: ['time/just-in-time'] },
  'drops-partial-output': {
    fault: 'drops what a command wrote before its limit',
    cases: ['time/partial-output-is-kept'],
  },
  'hides-the-limit': { fault: 'does not tell how long the limit is', cases: ['time/tells-the-limit'] },
  'one-at-a-time': {
    fault: 'runs all calls one after the other',
    cases: ['time/ten-hang-at-once', 'order/independent-reads-at-once'],
  },
  'one-failure-fails-all': {
    fault: 'gives up a response when one call fails',
    cases: ['time/hang-beside-a-fast-call'],
  },
  'nesting-stops-the-clock': {
    fault: 'has no limit while a tool calls another one',
    cases: ['time/deadline-is-inherited'],
  },
  'whole-seconds': { fault: 'rounds limits up to seconds', cases: ['time/short-limit'] },
  'commands-have-no-limit': { fault: 'has no limit for commands', cases: ['time/command-never-ends'] },
  'limit-for-silence': {
    fault: 'limits only the silence of a command',
    cases: ['time/command-writes-for-ever'],
  },
  'commands-wait-for-input': {
    fault: 'keeps the input of commands open, and waits for it',
    cases: ['time/command-reads-input'],
  },

  // Ending
  'last-outcome-wins': {
    fault: 'takes the last outcome of a thenable',
    cases: [
      'ending/resolves-twice',
      'ending/resolves-then-rejects',
      'ending/resolves-then-throws',
      'ending/rejects-then-resolves',
    ],
  },
  'ends-again': {
    fault: 'reports the end of a call again when its tool ends',
    cases: [
      ...[
        'resolves-twice',
        'resolves-then-rejects',
        'resolves-then-throws',
        'rejects-then-resolves',
        'throws-after-return',
        'rejects-after-return',
        'emits-error-after-return',
        'reports-after-return',
        'settles-after-cancel',
        'cancel-after-the-end',
      ].map((name) => `ending/${name}`),
      'time/late-result',
      'time/late-error',
      'order/cancel-in-mid-batch',
      'remote/answers-twice',
    ],
  },
  'errors-reject': {
    fault: 'rejects the whole response when a tool fails',
    cases: ['ending/then-getter-throws', 'ending/throws-undefined-synchronously'],
  },
  'ignores-cancel': {
    fault: 'ignores a cancel',
    cases: ['ending/cancel-of-a-deaf-tool', 'order/cancel-twice'],
  },
  'cancel-is-remembered': {
    fault: 'applies a cancel to the next call',
    cases: ['ending/cancel-after-the-end'],
  },
  'abort-errors-are-cancels': {
    fault: 'takes an AbortError for a cancel by the user',
    cases: ['ending/abort-error-without-cancel'],
  },
  'converts-later': {
    fault: 'converts results after the tool may have changed them',
    cases: ['ending/result-changes-after-return'],
  },
  'records-arguments-afterwards': {
    fault: 'records the arguments after the tool may have changed them',
    cases: ['ending/tool-changes-its-arguments'],
  },
  'uses-replaced-globals': {
    fault: 'uses globals that a tool has replaced',
    cases: ['ending/tool-breaks-globals'],
  },
  'retries-failures': { fault: 'repeats a call that failed', cases: ['ending/never-runs-twice'] },
  'retries-timeouts': {
    fault: 'repeats a call that timed out',
    cases: ['ending/never-runs-twice-after-a-timeout'],
  },
  'errors-by-message': {
    fault: 'reads `error.message`, whatever was thrown',
    cases: ['undefined', 'null', 'string', 'message-getter', 'proxy', 'not-a-string-message'].map(
      (value) => `ending/rejects-with-${value}`,
    ),
  },
  'errors-by-template': {
    fault: 'converts errors with a template',
    cases: ['ending/rejects-with-symbol', 'ending/rejects-with-null-prototype'],
  },
  'errors-by-stack': { fault: 'reads `error.stack`', cases: ['ending/rejects-with-stack-getter'] },
  'clones-errors': { fault: 'sends errors to another thread', cases: ['ending/rejects-with-function'] },
  'follows-causes': {
    fault: 'follows the causes of an error without bounds',
    cases: ['ending/rejects-with-cyclic-cause', 'ending/rejects-with-deep-cause'],
  },
  'errors-uncapped': { fault: 'cuts results, but not errors', cases: ['ending/rejects-with-huge-message'] },
  'values-by-json': {
    fault: 'converts results with JSON.stringify',
    cases: [
      ...[
        'undefined',
        'bigint',
        'symbol',
        'function',
        'cyclic',
        'to-json-throws',
        'getter-throws',
        'proxy',
        'revoked-proxy',
        'deep',
        'sparse-array',
        'error-as-value',
      ].map((value) => `ending/returns-${value}`),
      'output/binary',
    ],
  },
  'values-by-template': {
    fault: 'converts results with a template',
    cases: ['ending/returns-map-and-date', 'output/result-beyond-any-string'],
  },

  // Processes
  'does-not-kill': {
    fault: 'returns at the limit, and lets the command run',
    cases: ['processes/plain-child', 'processes/leaves-zombies'],
  },
  'kills-only-the-child': {
    fault: 'kills only the process that it started',
    cases: [
      'grandchild',
      'deaf-grandchild-holds-the-pipe',
      'stopped-child',
      'fork-storm',
      'hops-from-process-to-process',
      'respawns-its-child',
      'writes-after-the-end',
      'nohup',
      'cancelled-daemon',
    ].map((name) => `processes/${name}`),
  },
  'kills-the-group': {
    fault: 'kills only the group of processes',
    cases: [
      'grandchild-in-a-session-holds-the-pipe',
      'double-forked-daemon',
      'daemon-left-behind',
      'without-environment-or-descriptors',
      'five-sessions-deep',
      'renames-itself',
    ].map((name) => `processes/${name}`),
  },
  'only-sigterm': { fault: 'only asks commands to end', cases: ['processes/ignores-sigterm'] },
  'waits-for-pipes': {
    fault: 'waits until nobody holds the output of a command',
    cases: ['processes/exits-while-grandchild-holds-the-pipe'],
  },
  'end-of-output-is-the-end': {
    fault: 'takes the end of the output for the end of the command',
    cases: ['processes/closes-its-output'],
  },
  'cancel-spares-commands': { fault: 'does not cancel commands', cases: ['processes/cancelled-command'] },
  'no-death-signal': {
    fault: 'lets commands and servers outlive it',
    cases: [
      'host-killed',
      'host-killed-deaf-child',
      'host-killed-daemon',
      'host-killed-without-environment',
      'deaf-server-ends-with-the-host',
    ].map((name) => `processes/${name}`),
  },
  'drops-exit-code': { fault: 'does not tell the exit code', cases: ['processes/exit-code-is-reported'] },
  'reads-no-errors': { fault: 'drops the standard error of commands', cases: ['processes/missing-program'] },
  'servers-in-background': {
    fault: 'holds the input of servers in another process',
    cases: ['processes/servers-end-with-the-host'],
  },
  'asks-servers-to-end': {
    fault: 'only asks servers to end',
    cases: ['processes/deaf-server-ends-on-close'],
  },
  'servers-uncontained': {
    fault: 'ends servers without their children',
    cases: ['processes/children-of-servers-end'],
  },

  // Output
  'command-cap-too-high': {
    fault: 'keeps too much of what a command writes',
    cases: [
      'endless-output',
      'endless-output-without-newline',
      'endless-errors',
      'endless-binary',
      'one-gigabyte',
    ].map((name) => `output/${name}`),
  },
  'keeps-only-the-head': {
    fault: 'keeps only the beginning of an output',
    cases: ['output/the-end-is-kept'],
  },
  'cuts-silently': { fault: 'does not tell that an output was cut', cases: ['output/tells-that-it-was-cut'] },
  'strict-utf8': { fault: 'rejects output that is not UTF-8', cases: ['output/invalid-utf8'] },
  'decodes-chunks': { fault: 'decodes each chunk on its own', cases: ['output/split-characters'] },
  'ends-talkative-calls': { fault: 'ends a call that writes often', cases: ['output/a-million-chunks'] },
  'keeps-all-output': { fault: 'keeps all that a tool writes', cases: ['output/output-without-end'] },
  'output-as-lines': {
    fault: 'joins the output of a tool as lines',
    cases: ['output/output-in-half-characters'],
  },
  'no-result-cap': {
    fault: 'does not cut results',
    cases: ['output/huge-result', 'output/many-large-results', 'mistakes/huge-arguments'],
  },
  'values-uncapped': { fault: 'cuts strings, but not objects', cases: ['ending/returns-wide'] },
  'passes-lone-surrogates': {
    fault: 'passes half of an emoji on',
    cases: ['output/lone-surrogate', 'mistakes/lone-surrogate-in-arguments'],
  },
  'cuts-in-characters': { fault: 'cuts within an emoji', cases: ['output/emoji-at-the-cut'] },
  'passes-nul': { fault: 'passes NUL on', cases: ['output/nul'] },
  'prints-results': { fault: 'prints results as they are', cases: ['output/control-sequences'] },
  'line-separators-end-lines': {
    fault: 'takes U+2028 for the end of a message',
    cases: ['output/line-separators'],
  },
  'counts-lines': {
    fault: 'limits the lines of a result, but not their length',
    cases: ['output/one-line-of-five-megabytes'],
  },
  'cuts-each-line': {
    fault: 'limits the length of lines, but not their number',
    cases: ['output/a-million-lines'],
  },
  'drops-empty-results': { fault: 'drops empty results', cases: ['output/blank-result'] },
  'passes-empty-results': {
    fault: 'sends empty results',
    cases: ['output/empty-result'],
    onlyConversation: true,
  },
  'takes-results-for-responses': { fault: 'interprets results', cases: ['output/looks-like-a-response'] },

  // Order
  'all-at-once': {
    fault: 'starts all calls at once',
    cases: ['order/write-then-read', 'order/write-read-write-read', 'order/conflicting-writes'],
  },
  'writes-first': { fault: 'runs what writes before what reads', cases: ['order/read-then-write'] },
  'results-as-they-come': {
    fault: 'returns results in the order in which calls end',
    cases: ['order/results-in-call-order'],
  },
  'results-by-id': { fault: 'keeps one result for each id', cases: ['order/repeated-ids'] },
  'trusts-ids': { fault: 'takes ids for unique', cases: ['order/repeated-ids'], onlyConversation: true },
  'calls-need-an-id': { fault: 'ignores calls without an id', cases: ['order/empty-id'] },
  'drops-failed-calls': {
    fault: 'returns only the results of calls that succeed',
    cases: ['order/failure-beside-successes'],
  },
  'unknown-tools-reject': {
    fault: 'rejects a response with an unknown tool',
    cases: ['order/unknown-tool-beside-successes', 'mistakes/unknown-tool', 'mistakes/empty-name'],
  },
  'cancel-drops-results': {
    fault: 'returns no results for cancelled calls',
    cases: ['order/cancel-in-mid-batch'],
  },
  'cancel-misses-waiting-calls': {
    fault: 'cancels only the calls that run',
    cases: ['order/cancel-before-the-start'],
  },
  'forgets-to-abort': {
    fault: 'does not abort the signal of the tool',
    cases: ['order/cancel-reaches-the-tool', 'order/timeout-reaches-the-tool', 'remote/api-sends-no-headers'],
  },
  'asking-holds-up-others': {
    fault: 'starts nothing while the user is asked',
    cases: ['order/approval-does-not-hold-others'],
  },
  'asks-afterwards': { fault: 'asks after the call', cases: ['order/runs-only-after-the-answer'] },
  'clock-runs-while-asking': {
    fault: 'counts the time of the user',
    cases: ['order/waiting-does-not-count'],
  },
  'cancel-misses-questions': {
    fault: 'waits for the answer after a cancel',
    cases: ['order/cancel-while-asking'],
  },
  'one-response-at-a-time': {
    fault: 'lets a response wait for another one',
    cases: ['order/two-responses-at-once'],
  },

  // Mistakes
  'tools-in-an-object': {
    fault: 'looks up tools in an object',
    cases: ['mistakes/name-of-a-property-of-objects', 'mistakes/name-is-proto'],
  },
  'takes-similar-names': {
    fault: 'runs a tool with a similar name',
    cases: ['mistakes/name-with-other-case'],
  },
  'repairs-json': {
    fault: 'runs calls whose arguments are cut off',
    cases: ['mistakes/broken-json', 'mistakes/two-json-objects'],
  },
  'no-validation': {
    fault: 'does not validate arguments',
    cases: [
      'arguments-are-a-list',
      'arguments-are-null',
      'arguments-are-a-string',
      'wrong-type',
      'missing-field',
      'empty-arguments',
      'unknown-field',
    ].map((name) => `mistakes/${name}`),
  },
  'vague-validation': {
    fault: 'does not tell what is wrong with arguments',
    cases: ['mistakes/error-names-the-field'],
  },
  'does-not-name-the-tools': {
    fault: 'does not tell which tools there are',
    cases: ['mistakes/error-names-the-tools'],
  },
  'merges-arguments': { fault: 'merges arguments into an object', cases: ['mistakes/proto-in-arguments'] },
  'logs-arguments': { fault: 'walks through arguments recursively', cases: ['mistakes/deep-arguments'] },
  'shows-the-first-of-equal-keys': {
    fault: 'asks about other arguments than the tool gets',
    cases: ['mistakes/duplicate-keys'],
  },
  'validates-in-the-main-thread': {
    fault: 'matches patterns in the thread that keeps the clocks',
    cases: ['mistakes/pattern-bomb'],
  },
  'at-most-fifty-calls': { fault: 'ignores calls of a long response', cases: ['mistakes/two-hundred-calls'] },
  'no-loop-detection': { fault: 'does not detect loops', cases: ['mistakes/same-call-endlessly'] },
  'detects-only-equal-calls': { fault: 'detects only loops of one call', cases: ['mistakes/a-b-a-b'] },
  'no-call-limit': { fault: 'has no limit for the calls of a turn', cases: ['mistakes/never-stops-calling'] },
  'no-depth-limit': { fault: 'has no limit for the depth of calls', cases: ['mistakes/endless-recursion'] },

  // Remote
  'needs-every-server': {
    fault: 'does not start without all of its servers',
    cases: ['remote/server-exits-at-start', 'remote/list-never-comes', 'remote/list-without-end'],
  },
  'lines-must-be-json': {
    fault: 'throws when a server prints something else',
    cases: ['remote/server-prints-at-start', 'remote/answer-is-broken-json', 'remote/prints-in-a-call'],
  },
  'one-bad-tool-spoils-the-list': {
    fault: 'rejects a list with an invalid tool',
    cases: ['remote/list-with-broken-tools'],
  },
  'servers-have-no-limit': {
    fault: 'has no limit for calls of servers',
    cases: ['remote/call-never-answered', 'remote/half-a-line'],
  },
  'does-not-tell-servers': {
    fault: 'does not tell servers that a call has ended',
    cases: ['remote/server-is-told-to-stop', 'remote/cancel-reaches-the-server'],
  },
  'keeps-blocked-servers': {
    fault: 'goes on with a server that answers nothing',
    cases: ['remote/blocked-server'],
  },
  'does-not-restart-servers': {
    fault: 'does not start a server again',
    cases: [
      'remote/server-crashes-in-a-call',
      'remote/server-killed-in-a-call',
      'remote/server-closes-its-output',
    ],
  },
  'answers-by-position': {
    fault: 'takes any answer for that of the first call',
    cases: ['remote/answers-twice', 'remote/answers-what-nobody-asked', 'remote/answers-in-another-order'],
  },
  'trusts-servers': {
    fault: 'does not check answers of servers',
    cases: [
      'result-without-content',
      'content-is-a-string',
      'result-is-null',
      'neither-result-nor-error',
      'error-without-message',
    ].map((name) => `remote/${name}`),
  },
  'servers-in-strict-utf8': {
    fault: 'throws when a server sends other bytes than UTF-8',
    cases: ['remote/invalid-utf8-from-a-server'],
  },
  'long-lines-throw': {
    fault: 'throws when a line of a server is too long',
    cases: ['remote/answer-of-100-megabytes'],
  },
  'lines-are-unbounded': { fault: 'keeps a line until it ends', cases: ['remote/line-without-end'] },
  'talkative-servers-are-ended': {
    fault: 'ends a server that sends many messages',
    cases: ['remote/flood-of-notifications'],
  },
  'lists-at-each-change': {
    fault: 'lists tools at each notification',
    cases: ['remote/list-changes-without-end'],
  },
  'ignores-requests-of-servers': {
    fault: 'does not answer requests of servers',
    cases: ['remote/server-asks-for-sampling'],
  },
  'apis-have-no-limit': { fault: 'has no limit for APIs', cases: ['remote/api-sends-no-headers'] },
  'api-limit-ends-with-headers': {
    fault: 'stops the clock when headers come',
    cases: ['remote/api-sends-no-body', 'remote/api-trickles'],
  },
  'api-bodies-are-unbounded': {
    fault: 'reads whole responses',
    cases: ['remote/api-sends-without-end', 'remote/api-sends-a-bomb'],
  },
  'follows-redirects-for-ever': {
    fault: 'follows redirects for ever',
    cases: ['remote/api-redirects-without-end'],
  },
  'takes-half-a-body': {
    fault: 'returns what it has when the connection breaks',
    cases: ['remote/api-closes-the-connection'],
  },
  'api-errors-reject': {
    fault: 'rejects the response when a request fails',
    cases: ['remote/api-resets-the-connection', 'remote/api-is-no-http'],
  },
  'ignores-the-status': {
    fault: 'ignores the status of a response',
    cases: ['remote/api-fails-with-a-page'],
  },
  'parses-api-responses': {
    fault: 'expects JSON from every API',
    cases: ['remote/api-sends-broken-json', 'remote/api-sends-nothing'],
  },

  // Crash
  'interrupted-calls-have-no-result': {
    fault: 'continues without results of interrupted calls',
    cases: [
      'crash/killed-in-a-call-openai',
      'crash/killed-in-a-call-anthropic',
      'crash/killed-in-a-call-google',
    ],
  },
  'saves-after-the-calls': {
    fault: 'saves a response after its calls',
    cases: ['crash/killed-in-a-call-openai'],
  },
  'saves-at-the-end-of-a-turn': {
    fault: 'saves a turn at its end',
    cases: ['crash/killed-in-a-call-anthropic'],
  },
  'saves-results-late': {
    fault: 'saves results with the next response',
    cases: ['crash/killed-before-the-next-request'],
  },
  'saves-half-a-response': {
    fault: 'saves a response that has only begun',
    cases: ['crash/killed-while-the-model-writes'],
  },
  'runs-interrupted-calls-again': {
    fault: 'runs calls again after a crash',
    cases: ['crash/killed-in-a-batch', 'crash/killed-at-any-moment'],
  },
  'lists-lost-calls-as-running': {
    fault: 'lists calls of a process that was killed as running',
    cases: ['crash/running-calls-are-listed'],
  },
  'lists-only-what-runs': {
    fault: 'forgets that a call has succeeded',
    cases: ['crash/running-calls-are-listed'],
  },
  'waiting-calls-are-lost': {
    fault: 'takes a call that was waiting for one that ran',
    cases: ['crash/waiting-calls-are-not-lost-while-running'],
  },
  'leaves-a-lock': { fault: 'leaves a lock when it is killed', cases: ['crash/starts-again-after-a-crash'] },
  'keeps-results-in-files': {
    fault: 'needs its temporary folder',
    cases: ['crash/starts-without-a-temporary-folder'],
  },
} as const satisfies Readonly<Record<string, Mutant>>

export type MutantName = keyof typeof mutants
