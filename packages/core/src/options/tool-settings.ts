import type { Verdict } from '../call/verdict.ts'
import type { Duration } from '../duration/parse-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { matchGlob } from '../policy/match-glob.ts'
import { resourceTemplates } from '../tool/resource-templates.ts'
import type { Tool, ToolSetting } from '../tool/tool.ts'
import { withFlags } from '../tool/with-flags.ts'
import { boolean, checkKeys, oneOf } from './check-option.ts'

/** Settings for tools that someone else wrote; they override the tool's own. */
export interface ToolSettings {
  readonly timeout?: Duration | undefined
  readonly idleTimeout?: Duration | undefined
  /** `true` also makes the tool idempotent and not destructive. */
  readonly readOnly?: boolean | undefined
  readonly concurrent?: boolean | undefined
  /** `false` also makes the tool not read-only. */
  readonly idempotent?: boolean | undefined
  /** Keys for what a call uses; `{x}` is replaced by the parameter x. `[]`: it uses nothing shared. */
  readonly resources?: readonly string[] | undefined
  /** Counts as a rule for these tools. */
  readonly approval?: Verdict | undefined
}

/** Validated settings, which are applied to each tool once, when it is registered. */
export interface ToolSettingsTable {
  /** The tool with its settings, as a frozen copy, or the tool itself if it has none; the same object each time. */
  effective(tool: Tool): Tool
  /** The rule for the gate. */
  approval(tool: Tool): { readonly verdict: Verdict; readonly rule: string } | null
}

interface Entry {
  readonly pattern: string
  readonly settings: ToolSettings
}

const known = [
  'timeout',
  'idleTimeout',
  'readOnly',
  'concurrent',
  'idempotent',
  'resources',
  'approval',
] satisfies ToolSetting[]

/** Names consist of these characters, so any other pattern is a mistake. */
export const toolPattern: RegExp = /^[A-Za-z0-9_./*?-]{1,256}$/

/** For each setting, the longest matching pattern wins; of equally long ones, the last. Throws `INVALID_OPTION` with the field. */
export function toolSettings(
  options: Readonly<Record<string, ToolSettings | undefined>> = {},
): ToolSettingsTable {
  checkKeys(options, null, 'tools.')
  const entries = Object.entries(options)
    .filter((entry): entry is [string, ToolSettings] => entry[1] !== undefined)
    .map(([pattern, settings]) => checkEntry(pattern, settings))
    // Stable, so the last of equally long ones stays last, and overrides the others.
    .sort((a, b) => a.pattern.length - b.pattern.length)
  const cache = new WeakMap<Tool, Tool>()
  return {
    effective(tool) {
      let effective = cache.get(tool)
      if (effective === undefined) {
        const matching = entries.filter(({ pattern }) => matchGlob(pattern, tool.name))
        effective = matching.length === 0 ? tool : apply(tool, matching)
        cache.set(tool, effective)
      }
      return effective
    },
    approval({ name }) {
      const decides = ({ pattern, settings }: Entry): boolean =>
        settings.approval !== undefined && matchGlob(pattern, name)
      const entry = entries.findLast(decides)
      return entry === undefined
        ? null
        : { verdict: entry.settings.approval!, rule: `tools.${entry.pattern}.approval` }
    },
  }
}

function apply(tool: Tool, matching: readonly Entry[]): Tool {
  const settings: ToolSettings = Object.assign({}, ...matching.map((entry) => entry.settings))
  const overrides: Partial<Record<ToolSetting, string>> = {}
  for (const { pattern, settings } of matching) {
    for (const key of Object.keys(settings)) overrides[key as ToolSetting] = pattern
  }
  const { timeout, idleTimeout, resources } = settings
  return Object.freeze({
    ...withFlags(tool, settings),
    ...(timeout !== undefined && { timeoutMs: timeout as number, timeoutFor: undefined }),
    ...(idleTimeout !== undefined && { idleTimeoutMs: idleTimeout as number }),
    ...(resources !== undefined && { resources: resourceTemplates(resources) }),
    overrides,
  })
}

/** Durations become milliseconds; settings that are `undefined` are left out. */
function checkEntry(pattern: string, settings: ToolSettings): Entry {
  const at = (key: string): string => `tools.${pattern}${key}`
  if (!toolPattern.test(pattern))
    throw unexpectedOption(at(''), 'the name of a tool, or a pattern with * or ?, as key', pattern)
  checkKeys(settings, known, at('.'))
  const checked = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, checkSetting(key as ToolSetting, value, at(`.${key}`))])
  return { pattern, settings: Object.fromEntries(checked) }
}

function checkSetting(key: ToolSetting, value: unknown, field: string): unknown {
  switch (key) {
    case 'timeout':
    case 'idleTimeout':
      return parseDuration(value, field)
    case 'approval':
      return oneOf(value as Verdict, ['allow', 'ask', 'deny'], field)
    case 'resources':
      if (!Array.isArray(value) || value.some((item) => typeof item !== 'string' || item === ''))
        throw unexpectedOption(field, 'an array of strings', value)
      return [...value]
    default:
      return boolean(value, field)
  }
}
