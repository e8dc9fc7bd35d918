import { performance } from 'node:perf_hooks'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { ModelError, type ModelLimits, type ModelRequest, parseModelName, streamModel } from '@curfew/agent'
import { messageOf, Redactor } from '@curfew/core/internal'
import { type Config, loadConfig, openVault } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import { rejectInvalidSettings } from '../config/reject-invalid-settings.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { clearLine, count, foldTo, neutralise, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { contextWindowOf } from './context-window.ts'
import { createModel } from './create-model.ts'
import { type ListedModel, listModels, type ModelList } from './list-models.ts'
import { showModel } from './show-model.ts'

interface ModelsInput {
  readonly model: string | undefined
  readonly 'no-check': boolean
  readonly set: readonly string[]
  readonly json: boolean
}

/** A model and what was found out about it. */
export interface CheckedModel extends ListedModel {
  /** `null` if no request was sent. */
  readonly check: ModelCheck | null
  readonly contextWindow: number | undefined
}

/** `curfew models`. Returns the exit code. */
export async function runModels({
  model: name,
  'no-check': noCheck,
  set,
  json,
}: ModelsInput): Promise<number> {
  if (name !== undefined) rejectInvalidName(name)
  const config = await loadConfig({}, set)
  rejectInvalidSettings('models', config.problems)
  const { models: settings } = config
  const vault = openVault(secretOptions())
  const list = await listModels({ name, settings, vault, env: process.env })
  const checks = noCheck ? list.models.map(() => null) : await checkAll(list.models)
  const models = list.models.map(
    (model, index): CheckedModel => ({
      ...model,
      check: checks[index]!,
      contextWindow: contextWindowOf(model.id, settings.entries),
    }),
  )
  if (json) write(`${JSON.stringify(toJson(models, list, config))}\n`)
  else write(models.map((model) => showModel(model, terminalWidth(process.stdout))).join(''))
  reportProblems(config.problems)
  if (!json) reportErrors(list)
  const [selected] = models
  const isUsable =
    selected?.role === 'selected' && selected.key.kind !== 'missing' && !selected.check?.problem
  return isUsable ? 0 : 1
}

function rejectInvalidName(name: string): void {
  try {
    parseModelName(name, '--model')
  } catch (error) {
    throw new UsageError(`curfew models: ${oneLine(messageOf(error))}`)
  }
}

const maxParallel = 16

/** Checks models at the same time. One whose key is missing gets no request. */
async function checkAll(models: readonly ListedModel[]): Promise<(ModelCheck | null)[]> {
  const isShown = process.stderr.isTTY && models.length > 0
  if (isShown) process.stderr.write(`checking ${count(models.length, 'model')}…`)
  const checks = new Map<ListedModel, ModelCheck | null>()
  const waiting = [...models]
  const work = async (): Promise<void> => {
    for (let model = waiting.shift(); model !== undefined; model = waiting.shift())
      checks.set(model, await check(model))
  }
  await Promise.all(Array.from({ length: maxParallel }, work))
  if (isShown) process.stderr.write(clearLine)
  return models.map((model) => checks.get(model)!)
}

async function check(model: ListedModel): Promise<ModelCheck | null> {
  const { key } = model
  if (key.kind === 'missing') return null
  const redactor = new Redactor()
  if (key.kind === 'found') redactor.add(key.name, key.value)
  const { responseMs, problem } = await checkModel(
    await createModel(model, key.kind === 'found' ? key.value : null),
    model.baseUrl,
    // A server may send anything as its error, even the key.
    (text) => redactor.text(text),
  )
  return { responseMs, problem: problem === null ? null : oneLine(problem) }
}

function toJson(models: readonly CheckedModel[], { error, problems }: ModelList, config: Config): object {
  const { entries } = config.models
  return {
    selected: models.find(({ role }) => role === 'selected')?.id ?? null,
    models: models.map(
      ({ id, provider, name, role, from, baseUrl, baseUrlFrom, key, warnings, ...model }) => ({
        model: id,
        provider,
        name,
        role,
        from,
        baseUrl,
        baseUrlFrom,
        key: key.kind === 'found' ? { name: key.name, from: key.from } : null,
        contextWindow: model.contextWindow ?? null,
        price: entries.get(id)?.price ?? null,
        responds: model.check === null ? null : model.check.problem === null,
        responseMs: model.check?.responseMs ?? null,
        problem: model.check?.problem ?? (key.kind === 'missing' ? key.problem : null),
        warnings: [...warnings, ...(key.kind === 'none' && key.notice !== null ? [key.notice] : [])],
      }),
    ),
    error: error?.message ?? null,
    problems: [...problems.map(({ message }) => ({ severity: 'error', message })), ...config.problems],
  }
}

/** Those of the configuration have been reported. */
function reportErrors({ error, problems }: ModelList): void {
  const columns = terminalWidth(process.stderr)
  const report = (line: string): void => void process.stderr.write(`${foldTo(columns, neutralise(line))}\n`)
  for (const { message, isInConfig } of problems) if (!isInConfig) report(`error: ${message}`)
  if (error !== null && !error.isInConfig) report(error.message)
}

interface ModelCheck {
  /** The time until the first part of the response; `null` if there was none. */
  readonly responseMs: number | null
  /** Why the model does not respond; `null` if it does. */
  readonly problem: string | null
}

const limits: ModelLimits = { firstToken: '10s', maxAttempts: 1 }
const request: ModelRequest = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Reply with the word OK.' }] }],
}

/** Sends a tiny request, and aborts it as soon as the response begins. Never rejects. `redact` removes the key. */
async function checkModel(
  model: LanguageModelV4,
  baseUrl: string,
  redact: (text: string) => string,
): Promise<ModelCheck> {
  const start = performance.now()
  try {
    for await (const _ of streamModel(model, request, { limits, redact })) break
    return { responseMs: Math.round(performance.now() - start), problem: null }
  } catch (error) {
    return { responseMs: null, problem: redact(describe(error, baseUrl)) }
  }
}

function describe(error: unknown, baseUrl: string): string {
  if (!(error instanceof ModelError)) return messageOf(error)
  if (error.kind === 'first-token') return 'no response within 10 s'
  const isWithoutVersion = error.status === 404 && !/\/v\d/.test(new URL(baseUrl).pathname)
  return isWithoutVersion
    ? `${error.problem}; most base URLs end with a version, as in ${baseUrl}/v1`
    : error.problem
}
