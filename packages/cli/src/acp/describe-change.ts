/** What a call would do to a file. */
export interface FileChange {
  /** Absolute. */
  readonly path: string
  /** `null` if the file does not exist. */
  readonly oldText: string | null
  readonly newText: string
}

/** What a call changes, if that is known before it runs; otherwise `null`. */
export type DescribeChange = (name: string, args: unknown) => Promise<FileChange | null>
