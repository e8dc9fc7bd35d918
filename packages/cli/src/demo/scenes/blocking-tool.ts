/** Runs in the worker thread of the blocked-thread scene. */
export function blockForever(): never {
  while (true) {}
}
