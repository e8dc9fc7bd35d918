/** Decoded separately, because chunks of the other stream may split a character or a secret. */
export type OutputStream = 'stdout' | 'stderr'
