import type { Config } from '@curfew/extensions'
import { openRecording, type Recording, type RecordingProgram } from './open-recording.ts'

/** The recordings of a program in which conversations begin and end: all of them that are about one project share one. */
export class Recorder {
  readonly #program: RecordingProgram
  readonly #recordings = new Map<string, Recording>()

  constructor(program: RecordingProgram) {
    this.#program = program
  }

  /** `warn` is called at most once per problem, also after this conversation. */
  open(config: Config, warn: (message: string) => void): Recording {
    const { projectFolder } = config.roots
    const found = this.#recordings.get(projectFolder)
    if (found !== undefined) return found
    const opened = openRecording({ program: this.#program, config, warn })
    this.#recordings.set(projectFolder, opened)
    return opened
  }

  /** Call it after the agents are closed. */
  async close(): Promise<void> {
    await Promise.all([...this.#recordings.values()].map((recording) => recording.close()))
    this.#recordings.clear()
  }
}
