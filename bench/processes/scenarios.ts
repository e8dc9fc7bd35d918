export interface Scenario {
  readonly name: string
  /** For `sh -c`; `$0` is the tag and also the time to sleep. */
  readonly script: string
  /** Uses a whole processor, or many processes. */
  readonly heavy?: true
}

/** The one case that markers cannot detect, as documented. */
export const unmarked = 'no environment, descriptors or session'
export const endlessOutput = '`yes`, endless output'

export const scenarios: readonly Scenario[] = [
  { name: 'plain child', script: 'exec sleep $0' },
  { name: 'grandchild in the same group', script: 'sleep $0 & wait' },
  { name: 'setsid grandchild holds the pipe', script: 'setsid sleep $0 & wait' },
  { name: 'double-forked daemon', script: '(setsid sleep $0 >/dev/null 2>&1 &); exec sleep $0' },
  { name: 'daemon left behind, command exits 0', script: '(setsid sleep $0 >/dev/null 2>&1 &); exit 0' },
  { name: 'child ignores SIGTERM', script: 'trap "" TERM; exec sleep $0' },
  {
    name: 'TERM-ignoring grandchild holds the pipe',
    script: '(trap "" TERM; exec sleep $0) & exec sleep $0',
  },
  { name: 'command exits 0, grandchild holds the pipe', script: 'sleep $0 & exit 0' },
  { name: 'stopped child', script: 'sleep $0 & kill -STOP $!; kill -STOP $$; wait' },
  {
    name: unmarked,
    script: '(env -i setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; exec sleep $0" &); exec sleep $0',
  },
  {
    name: 'fork storm of 200',
    script: 'i=0; while [ $i -lt 200 ]; do sleep $0 & i=$((i+1)); done; wait',
    heavy: true,
  },
  { name: endlessOutput, script: 'exec yes $0', heavy: true },
]
