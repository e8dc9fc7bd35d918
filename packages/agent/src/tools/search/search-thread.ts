import { parentPort, workerData } from 'node:worker_threads'
import { FileSearcher, type FileSearchOptions, type SearchRequest } from './file-searcher.ts'

/** The counterpart of `searchInThreads`, in a thread. */
const searcher = new FileSearcher(workerData as FileSearchOptions)
parentPort!.on('message', (request: SearchRequest) => parentPort!.postMessage(searcher.search(request)))
