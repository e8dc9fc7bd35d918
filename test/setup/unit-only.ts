import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import workerThreads from 'node:worker_threads'

/** Longer waits make a test slow, and dependent on how busy the machine is. */
const maxWaitMs = 50

/** Makes what a unit test must not use throw, so that a test in a file of the wrong kind fails. Test files share this module graph. */
const marker = Symbol.for('curfew.unit-only')
if (!Reflect.has(globalThis, marker)) {
  Reflect.set(globalThis, marker, true)
  for (const name of ['spawnSync', 'execSync', 'execFileSync', 'fork', 'spawn', 'exec', 'execFile'] as const)
    forbid(childProcess, name, 'starts a process', 'process')
  forbid(workerThreads, 'Worker', 'starts a thread', 'process')
  forbid(net.Socket.prototype, 'connect', 'opens a socket', 'network')
  forbid(net.Server.prototype, 'listen', 'opens a socket', 'network')
  forbid(dgram, 'createSocket', 'opens a socket', 'network')
  forbidWaiting()
  syncBuiltinESMExports()
}

function forbid(object: object, name: string, action: string, kind: string): void {
  Reflect.set(object, name, function forbidden() {
    throw new Error(`expected a unit test, but it ${action}; rename its file to *.${kind}.test.ts`)
  })
}

/** A timer may be set and cleared, but not fire. */
function forbidWaiting(): void {
  const start = globalThis.setTimeout
  const guarded = Object.assign(
    (callback: () => void, ms = 0, ...args: []) =>
      start(ms > maxWaitMs ? () => fail(ms) : callback, ms, ...args),
    { __promisify__: start.__promisify__ },
  ) as typeof start
  timers.setTimeout = guarded
  globalThis.setTimeout = guarded
  const sleep = timersPromises.setTimeout
  timersPromises.setTimeout = async (ms = 0, value, options) =>
    ms > maxWaitMs ? fail(ms) : sleep(ms, value, options)
}

function fail(ms: number): never {
  throw new Error(`expected a unit test, but it waits for ${ms} ms; rename its file to *.process.test.ts`)
}
