import { type CallResult, CurfewError, type ToolCall, type Turn, type TurnStatus } from '@curfew/core'
import type { StepResult, ToolSet } from 'ai'
import { GenerationStep, type StartOptions } from './generation-step.ts'

/** Which generation uses a turn. */
const generations = new WeakMap<Turn, Generation>()

/** One generation of the AI SDK, as far as its callbacks show it. */
export class Generation {
  readonly #turn: Turn
  #begun = false
  #step: GenerationStep | null = null
  /** A call could not be passed to the runtime, for example because it is closed. */
  #failed = false
  /** The number of steps when the turn had used all its calls, or the model had repeated itself. */
  #stepsAtLimit: number | null = null

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Called before each request to the model. */
  beginStep(stepNumber: number): TurnStatus {
    this.#claimTurn()
    if (stepNumber === 0) {
      if (this.#begun) throw turnInUse()
      this.#begun = true
    }
    this.#closeStep()
    return this.#turn.status()
  }

  /** Called after a step that has tool results. */
  isOver(steps: readonly StepResult<ToolSet>[]): boolean {
    this.#closeStep()
    const { stopped, windDown } = this.#turn.status()
    if (stopped || this.#failed || onlyMistakes(steps)) return true
    if (!windDown) return false
    this.#stepsAtLimit ??= steps.length
    return steps.length > this.#stepsAtLimit
  }

  /** Called with each call of a step, in the model's order, before any of them is started. */
  expect(call: ToolCall): void {
    this.#claimTurn()
    if (this.#step?.started === true) {
      if (this.#step.running) throw turnInUse()
      this.#closeStep()
    }
    this.#openStep().expect(call)
  }

  /** The call will not be started in this generation. */
  drop(call: ToolCall): void {
    this.#step?.drop(call)
  }

  start(call: ToolCall, options: StartOptions): Promise<CallResult> {
    try {
      this.#claimTurn()
      return this.#openStep().start(call, options)
    } catch (error) {
      this.#failed = true
      throw error
    }
  }

  #openStep(): GenerationStep {
    if (this.#step === null || this.#step.closed) this.#step = new GenerationStep(this.#turn)
    return this.#step
  }

  #closeStep(): void {
    this.#step?.close()
    this.#step = null
  }

  #claimTurn(): void {
    const owner = generations.get(this.#turn)
    if (owner === undefined) generations.set(this.#turn, this)
    else if (owner !== this) throw turnInUse()
  }
}

/** The number of steps in a row in which the model called only unknown tools or sent broken JSON, which never reaches the runtime's limits. */
const maxMistakes = 5

function onlyMistakes(steps: readonly StepResult<ToolSet>[]): boolean {
  const last = steps.slice(-maxMistakes)
  return (
    last.length === maxMistakes &&
    last.every(({ toolCalls }) => toolCalls.length > 0 && toolCalls.every((call) => call.invalid === true))
  )
}

function turnInUse(): CurfewError {
  return new CurfewError(
    'INVALID_OPTION',
    'turn: expected a turn that no other generation uses; create one for each generation with conversation.turn()',
    { field: 'turn' },
  )
}
