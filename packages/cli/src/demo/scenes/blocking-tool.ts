/** Loaded by the worker thread of the scene about blocked threads. */
export function blockForever(): never {
  while (true) {}
}
