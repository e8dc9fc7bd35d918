import type { QuestionHandler } from '../call/question.ts'
import type { ConversationState, ConversationStateOptions } from '../conversation/conversation-state.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { boolean, callable, checkKeys, oneOf, string } from '../options/check-option.ts'
import { type RuntimeSettings, resolveApproval, resolveLimits } from '../options/resolve-options.ts'
import { ApprovalMode } from '../policy/approval-mode.ts'
import type { ConversationMode, ConversationOptions } from '../tool/conversation.ts'
import { views } from '../tool/tool-views.ts'

/** `ConversationOptions` with what is inherited from the outer conversation. */
interface ConversationSettings
  extends Pick<
    ConversationStateOptions,
    'tools' | 'view' | 'limits' | 'client' | 'rememberAnswers' | 'beforeChanges' | 'reserveMs'
  > {
  readonly search: boolean
  readonly approval: Pick<RuntimeSettings['approval'], 'default' | 'rules'> | null
  readonly ask: QuestionHandler | undefined
  readonly keepFiles: boolean
}

const knownOptions = [
  'tools',
  'view',
  'search',
  'limits',
  'approval',
  'ask',
  'client',
  'keepFiles',
  'rememberAnswers',
  'beforeChanges',
  'reserve',
] satisfies (keyof ConversationOptions)[]

/** Throws `INVALID_OPTION` with the option as `field`. */
export function resolveConversationOptions(
  options: ConversationOptions,
  outer: Pick<ConversationState, 'view' | 'limits' | 'client' | 'rememberAnswers'>,
): ConversationSettings {
  checkKeys(options, knownOptions, '')
  const { tools, approval, limits = {} } = options
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((glob) => typeof glob === 'string')))
    throw unexpectedOption('tools', 'an array of names or globs', tools)
  if (typeof approval === 'object') {
    checkKeys(approval, ['default', 'rules'], 'approval.')
    checkKeys(approval.rules ?? {}, ['allow', 'ask', 'deny'], 'approval.rules.')
  }
  return {
    tools: tools === undefined ? null : [...tools],
    view: oneOf(options.view ?? outer.view, views, 'view'),
    search: boolean(options.search ?? false, 'search'),
    limits: resolveLimits(limits, outer.limits),
    // Without a default, only the rules make the runtime's approval stricter.
    approval: approval === undefined ? null : resolveApproval(withDefault(approval)),
    ask: callable(options.ask, 'ask'),
    client: string(options.client, 'client') ?? outer.client,
    keepFiles: boolean(options.keepFiles ?? false, 'keepFiles'),
    // A conversation inside one that remembers nothing remembers nothing either.
    rememberAnswers: boolean(options.rememberAnswers ?? true, 'rememberAnswers') && outer.rememberAnswers,
    beforeChanges: callable(options.beforeChanges, 'beforeChanges') ?? null,
    reserveMs: options.reserve === undefined ? 0 : parseDuration(options.reserve, 'reserve'),
  }
}

/** Throws `INVALID_OPTION` with the option as `field`. */
export function resolveMode(mode: ConversationMode): ApprovalMode {
  checkKeys(mode, ['name', 'readOnly', 'allow', 'advice'], 'mode.')
  const { name, readOnly = false, allow = [], advice } = mode
  if (typeof name !== 'string' || name === '') throw unexpectedOption('mode.name', 'a string', name)
  if (!Array.isArray(allow)) throw unexpectedOption('mode.allow', 'an array of rules', allow)
  boolean(readOnly, 'mode.readOnly')
  string(advice, 'mode.advice')
  return new ApprovalMode(mode)
}

function withDefault(
  approval: Exclude<ConversationOptions['approval'], undefined>,
): Exclude<ConversationOptions['approval'], undefined> {
  return typeof approval === 'object' ? { default: 'allow', ...approval } : approval
}
