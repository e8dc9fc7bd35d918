import { nameOfModel } from '@curfew/agent'
import type { OpenedModel } from '../models/open-model.ts'
import type { OpenedSession } from './start-or-resume.ts'

/** A conversation that was switched to the fallback model goes on with it, unless `--model` names another one. */
export function firstModel(
  named: string | undefined,
  found: OpenedModel | null,
  saved: OpenedSession | null,
): Partial<Pick<OpenedModel, 'model' | 'fallback'>> {
  if (found === null) return {}
  const { model, fallback } = found
  const wasSwitched = fallback !== undefined && saved?.history?.model === nameOfModel(fallback)
  return wasSwitched && named === undefined ? { model: fallback } : { model, fallback }
}
