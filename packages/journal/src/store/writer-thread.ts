import { parentPort, workerData } from 'node:worker_threads'
import { WriterLoop } from './writer-loop.ts'
import type { WriterData, WriterRequest } from './writer-messages.ts'

/** The thread that writes the journal: a slow disk or a locked file must not delay the deadlines of calls. */
const port = parentPort!
const loop = new WriterLoop(workerData as WriterData, {
  send: (response) => port.postMessage(response),
  onEnd: () => port.close(),
})
port.on('message', (request: WriterRequest) => loop.handle(request))
