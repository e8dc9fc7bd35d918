import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach } from 'vitest'

const program = fileURLToPath(new URL('../fixtures/recording-program.js', import.meta.url))

type Scenario = 'wait' | 'one' | 'outer' | 'approval' | 'background' | 'deaf' | 'quick' | 'idle'

export interface RecordingProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** The name of its run. */
  readonly run: string
  /** Ends it in an orderly way. */
  end(): Promise<void>
  kill(): Promise<void>
}

const started: ChildProcess[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map(killed))
})

/** Starts a process that records calls, and waits until its calls run and are recorded. */
export async function startRecording(
  stateFolder: string,
  project: string,
  scenario: Scenario = 'wait',
  command: readonly string[] = [],
): Promise<RecordingProcess> {
  const [file, ...args] = [...command, process.execPath, program, stateFolder, project, scenario]
  const child = spawn(file!, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  started.push(child)
  child.stdin!.on('error', () => {})
  const [line] = (await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`it exited with code ${code}`))),
  ])) as [Buffer]
  return {
    child,
    pid: child.pid!,
    run: String(line).trim(),
    async end() {
      child.stdin!.write('end\n')
      await once(child, 'exit')
    },
    kill: () => killed(child),
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
