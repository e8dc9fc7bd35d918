import { CurfewError } from '@curfew/core'
import { approvalsStat, readApprovals, removeApprovals, storeApproval } from './approvals-file.ts'
import type { ConfigOptions } from './config-options.ts'
import { type ConfigProblem, configError } from './config-problem.ts'

/** The remembered answers of one project, and what a runtime needs to store more of them. */
export class ProjectApprovals {
  readonly #file: string
  readonly #project: string
  /** Those in the file. */
  #rules: ReadonlySet<string> = new Set()
  /** Those that have been in the file since this process started; one that is no longer there was removed. */
  readonly #seen = new Set<string>()
  #version: string | null = null
  #problem: ConfigProblem | null = null

  constructor(file: string, project: string) {
    this.#file = file
    this.#project = project
    this.#refresh()
  }

  /** Set if the file is invalid; then none of its answers is used. */
  get problems(): readonly ConfigProblem[] {
    return this.#problem === null ? [] : [this.#problem]
  }

  addTo(options: ConfigOptions): ConfigOptions {
    const { approval } = options
    const rules =
      this.#rules.size === 0 ? approval.rules : { ...approval.rules, remembered: [...this.#rules] }
    return {
      ...options,
      approval: {
        ...approval,
        rules,
        remember: (rule) => this.#remember(rule),
        forget: (rule) => this.#forget(rule),
        isRemembered: (rule) => this.#isRemembered(rule),
      },
    }
  }

  async #remember(rule: string): Promise<void> {
    // Valid until it is stored, even if it was removed before.
    this.#seen.delete(rule)
    await storeApproval(this.#file, this.#project, rule)
    this.#seen.add(rule)
  }

  async #forget(rule: string): Promise<void> {
    await removeApprovals(this.#file, this.#project, [rule])
  }

  /** False if `curfew approvals remove` removed it in the meantime. An answer that could not be stored is valid in this process. */
  #isRemembered(rule: string): boolean {
    this.#refresh()
    return this.#rules.has(rule) || !this.#seen.has(rule)
  }

  /** Reads the file again if it has changed. */
  #refresh(): void {
    try {
      const found = approvalsStat(this.#file)
      const version = found === null ? 'missing' : `${found.ino} ${found.size} ${found.mtimeNs}`
      if (version === this.#version) return
      this.#rules = new Set()
      this.#version = version
      this.#rules = new Set(
        readApprovals(this.#file)
          .get(this.#project)
          ?.map(({ rule }) => rule),
      )
      for (const rule of this.#rules) this.#seen.add(rule)
      this.#problem = null
    } catch (error) {
      if (!(error instanceof CurfewError)) throw error
      this.#rules = new Set()
      this.#version = null
      this.#problem = toProblem(this.#file, error)
    }
  }
}

function toProblem(file: string, { field = file, message }: CurfewError): ConfigProblem {
  if (field === file) return configError(file, null, message.slice(`${file}: `.length))
  return configError(file, field, message.slice(`${file}: ${field}: `.length))
}
