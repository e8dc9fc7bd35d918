import { parentPort, workerData } from 'node:worker_threads'
import { setMutant } from './mutation.ts'
import { serveTools } from './serve-tools.ts'
import type { ThreadData } from './thread-messages.ts'

const data = workerData as ThreadData
setMutant(data.mutant)
// A tool may fail after its call has ended; the other calls of this thread go on.
process.on('uncaughtException', () => {})
await serveTools(data, parentPort!)
