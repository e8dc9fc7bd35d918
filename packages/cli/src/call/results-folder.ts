import { join } from 'node:path'
import { stateHome } from '../state-home.ts'

/**
 * Where long results of `curfew call` and of conversations are stored. The path is printed, so the files must outlive the command;
 * the runtime limits their number and size.
 */
export function resultsFolder(): string {
  return join(stateHome(), 'results')
}
