import { outputClosed } from '../write.ts'
import type { Audience } from './audience.ts'
import { jsonAudience } from './json-audience.ts'
import { runDemo } from './run-demo.ts'
import { scenes } from './scenes/scenes.ts'
import { TextAudience } from './text-audience.ts'

/** Plays all scenes and returns the exit code. */
export async function playDemo(json: boolean): Promise<number> {
  const audience = json ? jsonAudience : textAudience()
  const interruption = new AbortController()
  let exitCode = 1
  const interrupt = (code: number): void => {
    exitCode = code
    interruption.abort()
  }
  // As a shell would report it: 128 and the number of the signal.
  process.once('SIGINT', () => interrupt(130))
  process.once('SIGTERM', () => interrupt(143))
  outputClosed.addEventListener('abort', () => interrupt(141))
  try {
    const { ok } = await runDemo(scenes, audience, interruption.signal)
    return ok ? 0 : 1
  } catch (error) {
    if (interruption.signal.aborted) return exitCode
    throw error
  }
}

/** Below this, lines wrap; a line that is written over must not. */
const narrowest = 60

function textAudience(): Audience {
  const { isTTY, columns } = process.stdout
  // A character in the last column makes some terminals wrap.
  const width = isTTY ? Math.min(Math.max(columns - 1, narrowest), 119) : 79
  const live = isTTY && columns > narrowest && process.env.TERM !== 'dumb'
  return new TextAudience({ width, live })
}
