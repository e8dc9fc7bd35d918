/** Why a connection ended, and what the server printed last. */
export interface ConnectionEnding {
  /** Starts with "it": `it exited with code 1`. */
  readonly reason: string
  readonly output: { readonly stream: 'stdout' | 'stderr'; readonly text: string } | null
}

export function formatEnding(ending: ConnectionEnding): string {
  return `${ending.reason}${formatOutput(ending)}`
}

export function formatOutput({ output }: ConnectionEnding): string {
  return output === null ? '' : `; ${output.stream}: ${output.text}`
}
