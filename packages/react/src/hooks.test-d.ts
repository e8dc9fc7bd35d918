import type { Agent, AgentSnapshot, HistoryItem } from '@curfew/agent'
import type { Runtime } from '@curfew/core'
import type { CallRow, Mirror, Question } from '@curfew/core/rows'
import { expectTypeOf, test } from 'vitest'
import type { CurfewProviderProps, useCall, useCallUids, useQuestions } from './index.ts'
import { type SubmissionStatus, submissionStatus, useConversation } from './index.ts'

test('a runtime and a mirror are sources of calls, an agent is the source of a conversation', () => {
  expectTypeOf<Runtime>().toExtend<CurfewProviderProps['runtime']>()
  expectTypeOf<Mirror>().toExtend<CurfewProviderProps['runtime']>()
  expectTypeOf<Agent>().toExtend<CurfewProviderProps['agent']>()
})

test('what the hooks return', () => {
  expectTypeOf<ReturnType<typeof useCall>>().toEqualTypeOf<CallRow | undefined>()
  expectTypeOf<ReturnType<typeof useCallUids>>().toEqualTypeOf<readonly number[]>()
  expectTypeOf<ReturnType<typeof useQuestions>>().toEqualTypeOf<readonly Question[]>()
  expectTypeOf(() => useConversation()).returns.toEqualTypeOf<AgentSnapshot>()
  expectTypeOf(() => useConversation(({ items }) => items)).returns.toEqualTypeOf<readonly HistoryItem[]>()
  expectTypeOf(() => useConversation(submissionStatus)).returns.toEqualTypeOf<SubmissionStatus>()
})
