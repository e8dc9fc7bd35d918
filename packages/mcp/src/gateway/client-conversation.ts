import type { Conversation, Question, Runtime, Turn } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import { answerQuestion } from './answer-question.ts'
import type { ClientRequest } from './client-request.ts'
import { turnClock } from './turn-clock.ts'

/** Where the calls of a client run. */
export interface ClientConversation {
  /** Runs the calls of one request in its turn. */
  run<R>(request: ClientRequest, work: (turn: Turn) => Promise<R>): Promise<R>
}

export interface ClientConversationOptions {
  readonly runtime: Runtime
  readonly clock: Clock
  /** Identifies the client; slots are shared fairly between clients. */
  readonly client: string
}

/** A connection is one conversation: stubs that its model has loaded, files and background tasks end with it. */
export class ConnectionConversation implements ClientConversation {
  readonly #conversation: Conversation
  readonly #turns: () => Turn

  /** `requestOf` returns the request of this client that a question is about. */
  constructor(
    { runtime, clock, client }: ClientConversationOptions,
    requestOf: (question: Question) => ClientRequest | undefined,
  ) {
    this.#conversation = runtime.conversation({
      client,
      ask: async (question, { signal }) => {
        const request = requestOf(question)
        return request === undefined ? undefined : await answerQuestion(question, request, signal)
      },
    })
    this.#turns = turnClock(clock, () => this.#conversation.turn())
  }

  async run<R>(_request: ClientRequest, work: (turn: Turn) => Promise<R>): Promise<R> {
    return await work(this.#turns())
  }

  /** Cancels everything that still runs, and removes the files of long results. */
  close(): Promise<void> {
    return this.#conversation.close()
  }
}

/**
 * The requests without a session that have the same token. Each is its own conversation, because nothing shows which of them come
 * from the same client; only their limits are counted together.
 */
export class RequestConversations implements ClientConversation {
  readonly #options: ClientConversationOptions
  readonly #budget: Conversation
  readonly #turns: () => Turn

  constructor(options: ClientConversationOptions) {
    const { runtime, clock, client } = options
    this.#options = options
    this.#budget = runtime.conversation({ client })
    this.#turns = turnClock(clock, () => this.#budget.turn())
  }

  async run<R>(request: ClientRequest, work: (turn: Turn) => Promise<R>): Promise<R> {
    const { runtime, client } = this.#options
    const conversation = runtime.conversation({
      client,
      // The client reads the file of a long result after the response.
      keepFiles: true,
      rememberAnswers: false,
      ask: (question, { signal }) => answerQuestion(question, request, signal),
    })
    try {
      return await work(conversation.turn({ budget: this.#turns() }))
    } finally {
      // Not awaited: what still runs in the background must not delay the response.
      void conversation.close()
    }
  }

  /** Accepts no more requests. */
  close(): Promise<void> {
    return this.#budget.close()
  }
}
