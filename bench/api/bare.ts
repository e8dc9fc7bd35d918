import { Agent, request } from 'undici'
import { serve } from '../side.ts'
import { type RequestTasks, timeRequests } from './time-requests.ts'

/** The same requests with undici alone, as in its documentation: no deadline, no validation. */
const [origin, concurrency] = [process.argv[2]!, Number(process.argv[3])]
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000 })
const headers = {
  'user-agent': 'curfew',
  accept: 'application/json, */*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
  'x-curfew-deadline-ms': '60000',
}
let sequence = 0

serve<RequestTasks>({
  rounds: (size, repeat) =>
    timeRequests(repeat, async () => {
      let left = size
      const work = async (): Promise<void> => {
        while (left-- > 0) {
          const { statusCode, body } = await request(`${origin}/things/${++sequence}?kind=all`, {
            dispatcher,
            headers,
          })
          const value = (await body.json()) as { ok: boolean }
          if (statusCode !== 200 || !value.ok) throw new Error(`expected status 200, got ${statusCode}`)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, work))
    }),
})
