import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import { type Config, type ConfigProblem, type ConfigRoots, configRoots } from '@curfew/extensions'
import {
  type ApprovedContent,
  type ConfiguredRules,
  configFileName,
  configuredRules,
  FileWatch,
  nothingApproved,
  RulesReload,
  readApprovedContent,
  refreshTrust,
  trustedFilesPath,
  trustedProjectsPath,
} from '@curfew/extensions/internal'
import type { Gateway } from '@curfew/mcp'
import {
  mcpFileName,
  mergeServerFiles,
  missingVariables,
  readServerFiles,
  type ServerFile,
  ServerReload,
} from '@curfew/mcp/config'
import { problemLine } from '../report-problems.ts'
import { applyRules } from './apply-rules.ts'
import { describeHeldBack, describeReload, type HeldBack, heldBack } from './describe-reload.ts'
import { LogOnce } from './log-once.ts'

/** A file that is gone may be about to be replaced, so its servers and rules are kept for this long. */
const goneMs = 1_000

export interface ConfigurationWatchOptions {
  readonly gateway: Pick<Gateway, 'setServers' | 'runtime'>
  /** What is in effect. */
  readonly config: Config
  readonly files: readonly ServerFile[]
  /** What had been approved in the project before it was loaded. */
  readonly approved: ApprovedContent
  readonly log: (line: string) => void
}

/** Applies changes of `mcp.json` and of the rules in `config.json` to a running gateway, within what a person has approved. */
export class ConfigurationWatch {
  readonly #options: ConfigurationWatchOptions
  readonly #servers: ServerReload
  readonly #rules: RulesReload
  readonly #watch: FileWatch
  readonly #log: LogOnce
  #roots: ConfigRoots
  #applied: ConfiguredRules
  /** The files that existed when they were last read. */
  #existing: ReadonlySet<string>
  #goneTimer: NodeJS.Timeout | null = null
  #isGone = false
  #heldBack: readonly HeldBack[] = []
  #reloading: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: ConfigurationWatchOptions) {
    const { config, files, approved, log } = options
    this.#options = options
    this.#roots = config.roots
    this.#servers = new ServerReload(files, approved)
    this.#rules = new RulesReload(config, approved)
    this.#applied = configuredRules(config.options.approval.rules)
    this.#log = new LogOnce(log)
    const loaded = mergeServerFiles(files)
    const problems = [...config.problems, ...loaded.problems, ...missingVariables(loaded.unused)]
    this.#log.known('problem', problems.map(problemLine))
    this.#existing = new Set(this.#sources().filter((file) => existsSync(file)))
    this.#watch = new FileWatch({
      files: this.#watched(),
      onChange: () => this.#reload(),
      onUnavailable: (reason) => log(`changes of the configuration are used only after a restart: ${reason}`),
    })
    // A file may have changed since it was read.
    this.#watch.trigger()
  }

  /** Changes of the project's files that wait for a person. */
  get heldBack(): readonly HeldBack[] {
    return this.#heldBack
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watch.close()
    if (this.#goneTimer !== null) clearTimeout(this.#goneTimer)
    await this.#reloading
  }

  /** The files with servers and rules. */
  #sources(): string[] {
    const { user, project } = this.#roots
    return [user, ...(project === null ? [] : [project.path])].flatMap((root) => [
      join(root, mcpFileName),
      join(root, configFileName),
    ])
  }

  #watched(): string[] {
    const { user, project, projectFolder } = this.#roots
    const ofNewProject = project === null ? [join(projectFolder, '.curfew', mcpFileName)] : []
    return [...this.#sources(), ...ofNewProject, trustedProjectsPath(user), trustedFilesPath(user)]
  }

  /** One after the other; never rejects. */
  #reload(): void {
    this.#reloading = this.#reloading.then(async () => {
      try {
        if (!this.#closed) await this.#reloadNow()
      } catch (error) {
        this.#log.changed('failure', [`the configuration could not be reloaded: ${messageOf(error)}`])
      }
    })
  }

  async #reloadNow(): Promise<void> {
    this.#updateRoots()
    const existing = new Set(this.#sources().filter((file) => existsSync(file)))
    const isGone = [...this.#existing].some((file) => !existing.has(file))
    if (isGone && !this.#isGone) return this.#waitForGone()
    this.#isGone = false
    this.#existing = existing
    const approved = await this.#readApproved()
    const [files, rules] = await Promise.all([
      readServerFiles(this.#roots),
      this.#rules.next(this.#roots, approved),
    ])
    const { servers, unused, pending, problems } = this.#servers.next(files, approved)
    this.#logProblems([...problems, ...missingVariables(unused), ...rules.problems])
    if (this.#closed) return
    const { gateway, log } = this.#options
    const ruleChanges = applyRules(gateway.runtime.rules, this.#applied, rules.rules)
    this.#applied = rules.rules
    const changes = await gateway.setServers(servers)
    for (const line of describeReload(changes, ruleChanges)) log(line)
    this.#heldBack = heldBack(pending, rules.pending, this.#roots)
    this.#log.changed('held back', this.#heldBack.map(describeHeldBack))
    const restart = rules.needRestart.join(', ')
    this.#log.changed(
      'restart',
      restart === '' ? [] : [`${restart} in config.json: restart to apply the change`],
    )
    this.#log.changed('failure', [])
  }

  #waitForGone(): void {
    this.#goneTimer ??= setTimeout(() => {
      this.#goneTimer = null
      this.#isGone = true
      this.#reload()
    }, goneMs).unref()
  }

  /** The project stays the same: a `.curfew` that is created nearer would otherwise disable its rules. */
  #updateRoots(): void {
    const { project } = this.#roots
    this.#roots = project === null ? { ...this.#roots, ...configRoots() } : refreshTrust(this.#roots)
    if (this.#roots.project?.path !== project?.path) this.#watch.setFiles(this.#watched())
  }

  async #readApproved(): Promise<ApprovedContent> {
    const { user, project } = this.#roots
    return project === null ? nothingApproved : await readApprovedContent(user, project.path)
  }

  #logProblems(problems: readonly ConfigProblem[]): void {
    this.#log.changed('problem', problems.map(problemLine))
  }
}
