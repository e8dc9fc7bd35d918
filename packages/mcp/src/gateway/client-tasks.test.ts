import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { ClientTask, taskTtlMs } from './client-task.ts'
import { ClientTasks } from './client-tasks.ts'
import { InputRequests } from './input-requests.ts'

function newTask(
  clock: FakeClock,
  result: Promise<unknown>,
  era: 'legacy' | 'modern' = 'legacy',
): ClientTask {
  return new ClientTask({ era, clock, result, questions: new InputRequests(), cancel: () => {} })
}

const [one, other] = [{}, {}]
const never = new Promise<never>(() => {})

test('a client sees only its own tasks, until it disconnects', () => {
  const tasks = new ClientTasks()
  const task = newTask(createFakeClock(), never)
  tasks.add(one, task)
  expect(tasks.get(one, task.id)).toBe(task)
  expect(tasks.get(other, task.id)).toBeUndefined()
  expect(tasks.list(other)).toEqual([])
  tasks.end(one)
  expect(tasks.get(one, task.id)).toBeUndefined()
})

test('a task is kept for its time to live, and at least until it has ended', async () => {
  const clock = createFakeClock()
  const tasks = new ClientTasks()
  const [ended, running] = [newTask(clock, Promise.resolve({ content: [] })), newTask(clock, never)]
  for (const task of [ended, running]) tasks.add(one, task)
  await ended.ended
  await clock.advance(taskTtlMs)
  expect(tasks.list(one)).toEqual([ended, running])
  await clock.advance(1)
  expect(tasks.get(one, ended.id)).toBeUndefined()
  expect(tasks.list(one)).toEqual([running])
})

test('the number of running tasks and the size of results are limited', async () => {
  const clock = createFakeClock()
  const tasks = new ClientTasks()
  for (let count = 0; count < 100; count++) tasks.add(one, newTask(clock, never))
  expect(tasks.hasRoom(one)).toBe(false)
  expect(tasks.hasRoom(other)).toBe(true)
  const large = Array.from({ length: 5 }, () =>
    newTask(clock, Promise.resolve({ content: [{ type: 'text', text: 'x'.repeat(8 << 20) }] })),
  )
  for (const task of large) tasks.add(other, task)
  await Promise.all(large.map((task) => task.ended))
  expect(tasks.list(other)).toEqual(large.slice(2))
})

test.each([
  ['legacy', 'failed'],
  ['modern', 'completed'],
] as const)('a tool that reported an error has, for a %s client, %s', async (era, status) => {
  const task = newTask(createFakeClock(), Promise.resolve({ content: [], isError: true }), era)
  await task.ended
  expect(task.status).toBe(status)
})

test('a task waits for input while it has questions', async () => {
  const questions = new InputRequests()
  const task = new ClientTask({
    era: 'modern',
    clock: createFakeClock(),
    result: never,
    questions,
    cancel: () => {},
  })
  expect(task.toDetailedTask()).toMatchObject({ status: 'working' })
  const answer = questions.ask('elicitation/create', { message: 'Yes?' }, new AbortController().signal)
  const { status, inputRequests } = task.toDetailedTask()
  expect(status).toBe('input_required')
  questions.answer({ [Object.keys(inputRequests as object)[0]!]: { action: 'accept' } })
  expect(await answer).toEqual({ action: 'accept' })
  expect(task.status).toBe('working')
})
