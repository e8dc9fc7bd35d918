/**
 * Makes an error without capturing its stack, which costs more than all the rest of ending a call. For errors made in
 * a timer or for a result: their stack would only show the runtime itself.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
