import { defineTool, type Tool, type ToolCall } from '@curfew/core'
import type { FakeClock } from '@curfew/core/testing'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'

/** A tool that behaves as its flags declare, on state that all tools of a run share. */
export interface Plan {
  readonly keyed: boolean
  readonly readOnly: boolean
  readonly concurrent: boolean
  /** Its schema validates asynchronously. */
  readonly slowSchema?: boolean
}

export interface CallPlan {
  readonly tool: number
  readonly keys: readonly string[]
  /** If the tool declares keys: the call declares none, and uses none. */
  readonly usesNothing: boolean
  readonly delay: number
  readonly fails: 'no' | 'before' | 'after'
  readonly timeout: number
  readonly approval: 'once' | 'turn' | 'no' | 'expire'
  readonly approvalDelay: number
}

const key = fc.constantFrom('a', 'b', 'c')

export const plans: fc.Arbitrary<Plan[]> = fc.array(
  fc.record({ keyed: fc.boolean(), readOnly: fc.boolean(), concurrent: fc.boolean() }),
  { minLength: 1, maxLength: 4 },
)

export const callPlans: fc.Arbitrary<CallPlan[]> = fc.array(
  fc.record({
    tool: fc.nat(3),
    keys: fc.uniqueArray(key, { minLength: 1, maxLength: 2 }),
    usesNothing: fc.boolean(),
    delay: fc.nat(40),
    fails: fc.constantFrom('no', 'no', 'no', 'before', 'after'),
    timeout: fc.integer({ min: 10, max: 100 }),
    approval: fc.constantFrom('once', 'once', 'turn', 'no', 'expire'),
    approvalDelay: fc.nat(60),
  }),
  { minLength: 1, maxLength: 10 },
)

export class SharedState {
  readonly #values = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ])

  read(keys: readonly string[]): string {
    return keys.map((name) => `${name}=${this.#values.get(name)}`).join(' ')
  }

  get(name: string): number {
    return this.#values.get(name)!
  }

  set(name: string, value: number): void {
    this.#values.set(name, value)
  }
}

/** Needs no schema compiler, which would take half the time of a property test that defines tools in every run. */
export const anyParameters: StandardSchemaV1 & StandardJSONSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
  },
}

function slowParameters(clock: FakeClock): typeof anyParameters {
  const standard = anyParameters['~standard']
  const validate = (value: unknown) =>
    new Promise<{ value: unknown }>((resolve) => void clock.setTimer(5, () => resolve({ value })))
  return { '~standard': { ...standard, validate } }
}

interface Params {
  readonly index: number
  readonly keys: readonly string[]
  readonly usesNothing: boolean
  readonly delay: number
  readonly fails: CallPlan['fails']
}

function keysOf({ keys, usesNothing }: Params): readonly string[] {
  return usesNothing ? [] : keys
}

/** Reads the state at its start and end, and writes based on the first read, so that overlapping calls are detected. */
export function makeTool(plan: Plan, index: number, state: SharedState, clock: FakeClock): Tool {
  const everything = ['a', 'b', 'c']
  // Without keys, `concurrent` promises that there are no side effects.
  const writes = !plan.readOnly && (plan.keyed || !plan.concurrent)
  return defineTool({
    name: `tool_${index}`,
    description: 'Read or write the shared state.',
    parameters: plan.slowSchema ? slowParameters(clock) : anyParameters,
    readOnly: plan.readOnly,
    concurrent: plan.concurrent,
    ...(plan.keyed && { resources: (params: unknown) => keysOf(params as Params) }),
    async execute(raw: unknown, { signal }) {
      const { index: call, keys, delay, fails } = raw as Params
      const usedKeys = plan.keyed ? keysOf(raw as Params) : everything
      const before = state.read(usedKeys)
      const first = state.get(keys[0]!)
      if (fails === 'before') throw new Error(`call ${call} failed before`)
      await new Promise<void>((resolve, reject) => {
        const timer = clock.setTimer(delay, resolve)
        signal.addEventListener('abort', () => {
          clock.clearTimer(timer)
          reject(signal.reason)
        })
      })
      if (writes && usedKeys.length > 0) state.set(keys[0]!, (first * 31 + call) % 1_000_003)
      if (fails === 'after') throw new Error(`call ${call} failed after`)
      return `${before} -> ${state.read(usedKeys)}`
    },
  }) as Tool
}

export function toCalls(calls: readonly CallPlan[], tools: number): ToolCall[] {
  return calls.map(({ tool, keys, usesNothing, delay, fails, timeout }, index) => ({
    id: `c${index}`,
    name: `tool_${tool % tools}`,
    params: { index, keys, usesNothing, delay, fails },
    timeout,
  }))
}
