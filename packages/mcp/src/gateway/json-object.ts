/** What a message carries, as far as only its names are known. */
export type Fields = Record<string, unknown>
