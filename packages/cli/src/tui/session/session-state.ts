import type { OpenedAgent } from '../../agent/open-agent.ts'
import type { Highlighter } from '../markdown/load-highlighter.ts'
import type { MarkdownBlock } from '../markdown/markdown-block.ts'
import type { ThemeName } from '../theme/theme.ts'

/** What the terminal shows besides the calls, the conversation and the input, which have stores of their own. */
export interface SessionState {
  /** `null` while it starts. */
  readonly opened: OpenedAgent | null
  /** What the start waits for. */
  readonly startingWith: string | null
  /** The block that the model is writing. */
  readonly pending: MarkdownBlock | null
  /** It is the first one of an answer, or comes after something else. */
  readonly isNewAnswer: boolean
  /** The end of what the model is thinking. */
  readonly thinking: string
  /** `null` if no turn is running. */
  readonly turn: TurnTimes | null
  readonly retry: Retry | null
  /** Calls in the live region, oldest first. Finished ones stay until their batch is complete. */
  readonly liveCalls: readonly number[]
  /** A command such as `/compact` that is running. */
  readonly command: string | null
  /** Prompts that will be delivered after the current batch. */
  readonly queued: readonly string[]
  /** A list to choose from, below the conversation. */
  readonly menu: Menu | null
  /** A short answer to the last key, such as how to quit. */
  readonly hint: string | null
  /** Warnings of the start, shown on request. */
  readonly warnings: readonly string[]
  /** `lent`: someone else uses the terminal. */
  readonly screen: 'conversation' | 'calls' | 'lent'
  readonly theme: ThemeName
  /** Loaded when the model writes for the first time. */
  readonly highlighter: Highlighter | undefined
  readonly isClosing: boolean
}

/** On the wall clock. Waiting for the person does not count. */
export interface TurnTimes {
  readonly startedAt: number
  readonly waitedMs: number
  /** The model waits for an answer since then. */
  readonly waitingSince: number | null
}

export interface Retry {
  readonly cause: string
  /** The number of the next attempt. */
  readonly attempt: number
  readonly maxAttempts: number
  /** When it starts, on the wall clock. */
  readonly at: number
}

export interface Menu {
  readonly title: string
  readonly entries: readonly MenuEntry[]
  readonly selected: number
  /** Opened by Ctrl-C: another Ctrl-C ends the program. */
  readonly isInterrupt: boolean
}

export interface MenuEntry {
  /** A letter that chooses it. */
  readonly key?: string
  readonly label: string
  readonly description?: string
  run(): void
}

export const initialState: SessionState = {
  opened: null,
  startingWith: null,
  pending: null,
  isNewAnswer: false,
  thinking: '',
  turn: null,
  retry: null,
  liveCalls: [],
  command: null,
  queued: [],
  menu: null,
  hint: null,
  warnings: [],
  screen: 'conversation',
  theme: 'dark',
  highlighter: undefined,
  isClosing: false,
}
