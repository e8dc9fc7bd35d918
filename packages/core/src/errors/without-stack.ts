/**
 * Creates an error without capturing its stack, which is the most expensive part of ending a call. For errors created in a
 * timer or for a result, whose stack would only show the runtime itself.
 */
export function withoutStack<E extends Error>(create: () => E): E {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return create()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
