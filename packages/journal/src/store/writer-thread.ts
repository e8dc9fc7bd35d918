import { parentPort, workerData } from 'node:worker_threads'
import { JournalDatabase } from './journal-database.ts'
import { faultOf } from './journal-fault.ts'
import type { WriterBatch, WriterData, WriterRequest, WriterResponse } from './writer-messages.ts'

/** The thread that writes the journal: a slow disk or a locked file must not delay the deadlines of calls. */

const busyRetryMs = 20
const temporaryRetryMs = 1_000
/** Other writers need milliseconds, so by then something is wrong. */
const reportBusyAfterMs = 10_000

type Work = (db: JournalDatabase) => void

const port = parentPort!
const data = workerData as WriterData
const queue: Work[] = []
let db: JournalDatabase | null = null
let wantsFile = false
let timer: NodeJS.Timeout | null = null
let busySince: number | null = null

port.on('message', (request: WriterRequest) => {
  if (request.type === 'open') wantsFile = true
  else queue.push(workOf(request))
  if (timer === null) run()
})

function workOf(request: Exclude<WriterRequest, { type: 'open' }>): Work {
  switch (request.type) {
    case 'write': {
      const batch = JSON.parse(request.batch) as WriterBatch
      return (db) => {
        db.write(batch, Date.now())
        send({ type: 'written' })
      }
    }
    case 'lost':
      return (db) => db.markLost(request.runs)
    case 'socket':
      return (db) => db.setSocket(request.path)
    case 'close':
      return (db) => {
        db.close(Date.now())
        end()
      }
  }
}

/** Does what there is to do, in order. What fails is retried as long as it may succeed. */
function run(): void {
  timer = null
  try {
    if (db === null) open()
    while (db !== null && queue.length > 0) {
      queue[0]!(db)
      queue.shift()
      busySince = null
    }
  } catch (error) {
    onFault(error)
  }
}

function open(): void {
  if (!wantsFile) return
  db = new JournalDatabase(data)
  wantsFile = false
  busySince = null
  send({ type: 'opened', name: db.name, runs: db.openRuns() })
}

function onFault(error: unknown): void {
  const { kind, message } = faultOf(error)
  switch (kind) {
    case 'busy':
      busySince ??= performance.now()
      if (performance.now() - busySince > reportBusyAfterMs) send({ type: 'retrying', problem: message })
      timer = setTimeout(run, busyRetryMs)
      return
    case 'temporary':
      send({ type: 'retrying', problem: message })
      timer = setTimeout(run, temporaryRetryMs)
      return
    case 'missing':
      db?.abandon()
      db = null
      wantsFile = false
      send({ type: 'missing' })
      return
    case 'final':
      send({ type: 'failed', problem: message })
      return end()
  }
}

function end(): void {
  db = null
  queue.length = 0
  send({ type: 'closed' })
  port.close()
}

function send(response: WriterResponse): void {
  port.postMessage(response)
}
