/** What a command's module exports as `command`. */
export interface Command {
  /** Returns the exit code. */
  run(args: readonly string[]): number | Promise<number>
}

/** The command line makes no sense. Its message is all that the person is shown; the exit code is 2. */
export class UsageError extends Error {}
