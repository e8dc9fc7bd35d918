import { parentPort, workerData } from 'node:worker_threads'
import { FileSearcher, type FileSearchOptions } from './file-searcher.ts'

/** The counterpart of `searchInThread`. */
const searcher = new FileSearcher(workerData as FileSearchOptions)
parentPort!.on('message', (cutoff: string | null) => parentPort!.postMessage(searcher.next(cutoff)))
