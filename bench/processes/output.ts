import type { Findings } from '../report.ts'
import { Side } from '../side.ts'
import { median } from '../statistics.ts'
import type { OutputTasks, Reader, Reading } from './read-output.ts'

const bytes = 2 ** 30
const rounds = 5

/** Time and memory for reading 1 GiB of a command's output, most of which is discarded. */
export async function measureOutput(): Promise<Findings> {
  const readings: Record<Reader, Reading[]> = { bare: [], curfew: [], execa: [] }
  for (let round = 0; round < rounds; round++) {
    readings.bare.push(await read('bare'))
    readings.curfew.push(await read('curfew'))
  }
  readings.execa.push(await read('execa'))
  const time = (reader: Reader): number => median(readings[reader].map(({ ms }) => ms))
  const growth = (reader: Reader): number => Math.max(...readings[reader].map((reading) => reading.growth))
  return {
    targets: [
      {
        name: '1 GiB of output / a bare reader',
        figure: time('curfew') / time('bare'),
        unit: 'x',
        atMost: 1.3,
      },
      { name: '1 GiB of output, memory growth', figure: growth('curfew'), unit: 'MB', atMost: 24 },
    ],
    information: [
      { name: '1 GiB, curfew', figure: time('curfew'), unit: 'ms' },
      { name: '1 GiB, a bare reader', figure: time('bare'), unit: 'ms' },
      { name: '1 GiB, a bare reader, memory growth', figure: growth('bare'), unit: 'MB' },
      { name: '1 GiB, execa without buffer', figure: time('execa'), unit: 'ms' },
      { name: '1 GiB, execa without buffer, memory growth', figure: growth('execa'), unit: 'MB' },
    ],
  }
}

/** Each in a fresh process, because a process rarely returns memory to the system. */
async function read(reader: Reader): Promise<Reading> {
  const side = await Side.start<OutputTasks>(new URL('./read-output.ts', import.meta.url))
  try {
    return await side.ask('read', reader, bytes)
  } finally {
    side.stop()
  }
}
