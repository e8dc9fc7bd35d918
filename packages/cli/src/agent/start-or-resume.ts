import { createSession, type RestoredHistory, resumeSession, type Session } from '@curfew/agent'
import { UsageError } from '../command.ts'
import { describeSessionError } from '../sessions/choose-session.ts'
import { stateHome } from '../state-home.ts'

export interface StartOrResumeOptions {
  /** The session to continue; `null` for a new one. */
  readonly id: string | null
  /** The folder that a new conversation is about. */
  readonly project: string
  /** `provider:name`. */
  readonly model: string
  /** Removes secrets from plain data. */
  readonly redact: (value: unknown) => unknown
  readonly notify: (message: string) => void
}

export interface OpenedSession {
  readonly session: Session
  /** What a resumed conversation continues from; `null` for a new one. */
  readonly history: RestoredHistory | null
  /** The model that was used last: `provider:name`. */
  readonly lastModel: string
}

/** Starts or continues a session, and notifies the person of anything unusual about the conversation. */
export async function startOrResume(options: StartOrResumeOptions): Promise<OpenedSession> {
  const { id, project, model, notify } = options
  const common = {
    folder: stateHome(),
    redact: options.redact,
    onProblem: notify,
  }
  if (id === null)
    return { session: await createSession({ ...common, project, model }), history: null, lastModel: model }
  const { session, history, header, notice } = await resumeSession({ ...common, id }).catch(
    (error: unknown) => {
      throw new UsageError(`curfew: --resume: ${describeSessionError(error)}`)
    },
  )
  if (notice !== null) notify(notice)
  if (header.project !== project) notify(`the conversation ${session.id} is about ${header.project}`)
  for (const { name } of history.lost)
    notify(
      `${name} was running when the conversation was interrupted; its result is lost, and it may have had an effect`,
    )
  return { session, history, lastModel: history.model ?? header.model }
}
