import { Side } from '../side.ts'
import {
  type ClientChecks,
  countSurvivors,
  listsAll,
  saysCrash,
  saysTimeout,
  tools,
  untilCancelled,
  untilHanging,
} from './client-checks.ts'
import type { LibraryTasks } from './library-client.ts'
import type { LibraryName } from './library-connectors.ts'
import { createStage, type Transport } from './stage.ts'

/** Some libraries do not send cancellations; then the server learns of it when the client is closed. */
const noticeMs = 5_000

/** Uses the gateway through a client library in its own process. */
export async function checkLibrary(name: LibraryName, transport: Transport): Promise<ClientChecks> {
  const stage = await createStage(transport)
  const { home, env } = stage
  const side = await Side.start<LibraryTasks>(new URL('library-client.ts', import.meta.url), { home, env })
  let closed = false
  try {
    await side.ask('open', name, stage.target)
    const list = listsAll(await side.ask('list'))
    const call = (await side.ask('call', tools.echo, 'one')).includes('heard one')
    const timeout = saysTimeout(await side.ask('call', tools.hang, 'two'))
    const crash = saysCrash(await side.ask('call', tools.crash, 'three'))
    const dead = crash && (await side.ask('call', tools.echo, 'four')).includes('heard four')
    await side.ask('begin', tools.patientHang, 'five')
    await untilHanging(stage)
    await side.ask('cancel')
    let cancel = await untilCancelled(stage, noticeMs)
    await side.ask('close')
    if (cancel === false) cancel = (await untilCancelled(stage)) && 'ended'
    side.stop()
    await stage.close()
    closed = true
    return { list, call, timeout, cancel, dead, survivors: await countSurvivors(stage) }
  } finally {
    side.stop()
    if (!closed) await stage.close()
  }
}
