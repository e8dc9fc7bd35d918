import { parseModelName } from '@curfew/agent'
import { invalidOption } from '@curfew/core/internal'
import type { ConfiguredModel, ModelEntry, ModelRole, ModelSettings } from '@curfew/extensions'
import { hostUse, isUnencrypted } from '@curfew/extensions/internal'
import { InvalidSettingError } from './invalid-setting-error.ts'
import { type Provider, providers } from './providers.ts'

/** A model, where its requests are sent, and which key is sent with them. */
export interface ResolvedModel {
  /** `provider:name`. */
  readonly id: string
  readonly provider: keyof typeof providers
  readonly name: string
  /** Where the model was set, for people. */
  readonly from: string
  readonly baseUrl: string
  /** Where the base URL was set; `null` if it is the provider's own. */
  readonly baseUrlFrom: string | null
  /** The secrets that may contain the key; the first one that exists is sent. */
  readonly keys: readonly string[]
  readonly needsKey: boolean
  /** The use of the key, to which a stored secret is bound: the server's host. */
  readonly use: string
  readonly warnings: readonly string[]
}

type Environment = Readonly<NodeJS.ProcessEnv>

/** The configured model for a role, such as `fallbackModel`; `null` if it is not set. */
export function resolveConfigured(
  key: ModelRole,
  settings: ModelSettings,
  env: Environment,
): ResolvedModel | null {
  const problem = settings.invalid.get(key)
  if (problem !== undefined) throw new InvalidSettingError(problem)
  const configured = settings[key]
  if (configured === null) return null
  const from = sourceOfModel(configured)
  const field = configured.variable ?? `${from}: ${key}`
  return resolveModel(configured.name, from, settings, env, field)
}

/**
 * Finds out where a model's requests are sent, and with which key. `from` is where the model was set; `field` is the same for
 * errors.
 */
export function resolveModel(
  text: string,
  from: string,
  { entries, invalid: invalidSettings }: ModelSettings,
  env: Environment,
  field: string = from,
): ResolvedModel {
  const parsed = parseModelName(text, field)
  const { provider, name } = parsed
  const id = `${provider}:${name}`
  const problem = invalidSettings.get(`models.${id}`) ?? invalidSettings.get('models')
  // Its server may be in there.
  if (problem !== undefined && parsed.baseUrl === null) throw new InvalidSettingError(problem)
  const entry = entries.get(id)
  const known = providers[provider]
  const chosen = chooseBaseUrl(parsed.baseUrl, entry?.baseUrl, id, from, known, env)
  const url = new URL(chosen.baseUrl)
  const isOwnServer = url.origin === new URL(known.baseUrl).origin
  const warnings: string[] = []
  if (isUnencrypted(url)) {
    if (chosen.isVariable)
      throw invalidOption(
        chosen.from!,
        `expected https, got ${url.origin}, where others on the network can read everything; write ${id}@${chosen.baseUrl} as the model if you want that`,
      )
    warnings.push(`${url.origin} is not encrypted, so others on the network can read everything`)
  }
  const whyNotNamed = whyNamedKeyIsNotSent(entry, chosen, provider, id)
  if (whyNotNamed !== null) warnings.push(whyNotNamed)
  const namedKey = whyNotNamed === null ? entry?.key : undefined
  // A server that only speaks OpenAI's protocol must not get OpenAI's key.
  const getsProviderKey = isOwnServer || chosen.isVariable || provider !== 'openai-compatible'
  return {
    id,
    provider,
    name,
    from,
    baseUrl: chosen.baseUrl,
    baseUrlFrom: chosen.from,
    keys: namedKey !== undefined ? [namedKey] : getsProviderKey ? known.keys : [],
    // Other servers, such as local ones, often need none.
    needsKey: namedKey !== undefined || isOwnServer,
    use: hostUse(url),
    warnings,
  }
}

/** A key that is named in an entry of `models` belongs to one server. */
function whyNamedKeyIsNotSent(
  entry: ModelEntry | undefined,
  chosen: ChosenBaseUrl,
  provider: string,
  id: string,
): string | null {
  if (entry?.key === undefined) return null
  if (entry.baseUrl !== undefined)
    return entry.baseUrl.replace(/\/+$/, '') === chosen.baseUrl.replace(/\/+$/, '')
      ? null
      : `${entry.key} is not sent, because it belongs to ${entry.baseUrl}`
  // Every server of this protocol has the same provider, so the key may be meant for another one.
  return chosen.from === null && provider === 'openai-compatible'
    ? `${entry.key} is not sent, because its server is not known; set models.${id}.baseUrl`
    : null
}

/** Where a configured model was set, for people: a file, a variable or an option. */
export function sourceOfModel({
  file,
  variable,
  source,
}: Pick<ConfiguredModel, 'file' | 'variable' | 'source'>): string {
  return file ?? variable ?? (source === 'flag' ? '--set' : source)
}

interface ChosenBaseUrl {
  readonly baseUrl: string
  readonly from: string | null
  readonly isVariable: boolean
}

function chooseBaseUrl(
  inName: string | null,
  inEntry: string | undefined,
  id: string,
  from: string,
  { baseUrl, baseUrlVariable }: Provider,
  env: Environment,
): ChosenBaseUrl {
  if (inName !== null) return { baseUrl: inName, from, isVariable: false }
  if (inEntry !== undefined) {
    const field = `models.${id}.baseUrl`
    return { baseUrl: checkUrl(inEntry, field), from: field, isVariable: false }
  }
  const fromVariable = baseUrlVariable === null ? undefined : env[baseUrlVariable]?.trim()
  if (!fromVariable) return { baseUrl, from: null, isVariable: false }
  const checked = checkUrl(fromVariable, baseUrlVariable!)
  // Other programs append /v1 to this variable themselves.
  const isWithoutVersion = baseUrlVariable === 'ANTHROPIC_BASE_URL' && !/\/v\d+$/.test(checked)
  return { baseUrl: isWithoutVersion ? `${checked}/v1` : checked, from: baseUrlVariable, isVariable: true }
}

function checkUrl(url: string, field: string): string {
  if (!/^http/.test(url)) throw invalidOption(field, 'expected a URL that starts with http:// or https://')
  return parseModelName(`google:any@${url}`, field).baseUrl!
}
