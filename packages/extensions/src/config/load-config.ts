import { dirname, join, resolve } from 'node:path'
import { checkConfig } from './check-config.ts'
import { readFlags } from './config-flags.ts'
import type { Layer, Written } from './config-layer.ts'
import {
  builtinsKey,
  type ConfigOptions,
  type EffectiveSetting,
  toOptions,
  toSettings,
} from './config-options.ts'
import { type ConfigProblem, configWarning } from './config-problem.ts'
import { type ConfigRoots, configRoots, type Surroundings } from './config-roots.ts'
import { readVariables } from './config-variables.ts'
import { mergeConfig } from './merge-config.ts'
import { readJsonFile } from './read-json-file.ts'

export interface Config {
  readonly roots: ConfigRoots
  /** For `createRuntime`. */
  readonly options: ConfigOptions
  /** Whether `curfew mcp` serves the tools that run commands. */
  readonly builtins: boolean
  /** Every setting with the value that is in effect. */
  readonly settings: readonly EffectiveSetting[]
  /** Why nothing counts that a project allows, such as that the user wrote `deny`; `null` if it does. */
  readonly refusal: string | null
  readonly problems: readonly ConfigProblem[]
}

/**
 * The configuration for somebody who stands here: default < user's config.json < that of the project if it is
 * trusted < environment < flags (`KEY=VALUE`). Never rejects because of what somebody wrote.
 */
export async function loadConfig(
  surroundings: Surroundings = {},
  flags: readonly string[] = [],
): Promise<Config> {
  const { cwd = process.cwd(), env = process.env } = surroundings
  const roots = configRoots(surroundings)
  const { project: found } = roots
  const [user, project] = await Promise.all([
    readLayer(roots.user, 'user'),
    found?.trusted ? readLayer(found.path, 'project') : nothing,
  ])
  const environment = seenFrom(cwd, readVariables(env))
  const layers = { user, project, environment, flags: seenFrom(cwd, readFlags(flags)) }
  const merged = mergeConfig(layers)
  return {
    roots,
    options: toOptions(merged),
    builtins: merged.values.get(builtinsKey)?.value === true,
    settings: toSettings(merged),
    refusal: merged.refusal,
    problems: [
      ...roots.problems,
      ...Object.values(layers).flatMap(({ problems }) => problems),
      ...merged.problems,
      ...(found !== null && !found.trusted ? [untrusted(found.path)] : []),
    ],
  }
}

const nothing: Layer = { values: new Map(), problems: [] }

async function readLayer(root: string, source: 'user' | 'project'): Promise<Layer> {
  const file = join(root, 'config.json')
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return nothing
  if (read.kind === 'problem') return { ...nothing, problems: [read.problem] }
  const { values, problems } = checkConfig(read.value, file)
  const written = [...values].map(([key, value]): [string, Written] => [key, { value, source, file }])
  return seenFrom(dirname(file), { values: new Map(written), problems: [...read.problems, ...problems] })
}

/** A path that is not absolute is seen from where it was written. */
function seenFrom(folder: string, layer: Layer): Layer {
  const written = layer.values.get('spillDirectory')
  if (written === undefined) return layer
  const value = resolve(folder, String(written.value))
  return { ...layer, values: new Map([...layer.values, ['spillDirectory', { ...written, value }]]) }
}

function untrusted(path: string): ConfigProblem {
  const message = 'is ignored: its files can run commands. Look at them, then run: curfew trust'
  return configWarning(path, null, message)
}
