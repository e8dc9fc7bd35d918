import {
  type Answer,
  createRuntime,
  type Question,
  type QuestionHandler,
  type RuntimeOptions,
  type ToolCall,
} from '@curfew/core'
import { createFakeClock, recordTransitions, scriptedTool } from '@curfew/core/testing'

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
} as const

/** A runtime with tools to write, read, and append with a lock. */
export function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  const recorder = recordTransitions(runtime)
  runtime.register(
    scriptedTool({ clock, name: 'write_file', parameters, script: [{ wait: 10 }, { return: 'written' }] }),
    scriptedTool({
      clock,
      name: 'read_file',
      parameters,
      readOnly: true,
      concurrent: true,
      script: [{ wait: 10 }],
    }),
    scriptedTool({
      clock,
      name: 'append',
      parameters,
      resources: ({ path }) => [String(path)],
      script: [{ wait: 10 }, { return: 'appended' }],
    }),
  )
  const run = (calls: Omit<ToolCall, 'id'>[], turn?: string) =>
    clock.runUntil(
      runtime.execute(
        calls.map((call, index) => ({ id: `c${index}`, ...call })),
        turn === undefined ? {} : { turn },
      ),
    )
  const write = (path: string, content = 'x') => ({ name: 'write_file', params: { path, content } })
  return { clock, runtime, recorder, run, write }
}

/** A handler that gives these answers in order and records the questions. */
export function person(...answers: Answer[]): QuestionHandler & { asked: Question[] } {
  const asked: Question[] = []
  const handler: QuestionHandler = (question) => {
    asked.push(question)
    return answers[asked.length - 1]
  }
  return Object.assign(handler, { asked })
}

/** The code of each failure, or the status. */
export const codes = (results: { status: string }[]) =>
  results.map((result) => ('code' in result ? result.code : result.status))
