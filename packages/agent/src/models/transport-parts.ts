/** The types of stream parts that say nothing about the response: the limit for the first token goes on until another part arrives. */
export const transportParts: ReadonlySet<unknown> = new Set([
  'stream-start',
  'response-metadata',
  'ping',
  'raw',
])
