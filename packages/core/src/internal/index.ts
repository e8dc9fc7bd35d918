/** `@curfew/core/internal`: for Curfew's own packages only; may change in any release. */
export {
  type CommandLimit,
  commandGraceMs,
  commandLimit,
  commandTimeoutMs,
} from '../builtin/command-limit.ts'
export type { CallFailure, CallSuccess } from '../call/call-result.ts'
export { callEdges } from '../call/call-state.ts'
export { checkParts } from '../call/check-parts.ts'
export { previewParams } from '../call/preview-params.ts'
export type {
  ApprovalQuestion,
  InputQuestion,
  SecretQuestion,
  SecretUseQuestion,
} from '../call/question.ts'
export { nameOfPart } from '../call/result-part.ts'
export { readTraceContext, type TraceContext, traceVariables } from '../call/trace-context.ts'
export type { RuleLists, Verdict } from '../call/verdict.ts'
export { type Clock, systemClock, type Timer } from '../clock/clock.ts'
export { withTimer } from '../clock/with-timer.ts'
export { abortable } from '../collections/abortable.ts'
export { Listeners } from '../collections/listeners.ts'
export { wordSet, words } from '../collections/words.ts'
export { type Adapter, adapterTimeouts, describeCapped } from '../deadline/adapter-timeouts.ts'
export {
  defaultToolCallTimeoutMs,
  describeSource,
  type ResolvedTimeout,
} from '../deadline/resolve-timeout.ts'
export { maxTimerMs, readDuration } from '../duration/parse-duration.ts'
export { attempt } from '../errors/attempt.ts'
export { CurfewError } from '../errors/curfew-error.ts'
export { describeValue } from '../errors/describe-value.ts'
export { fieldError, invalidOption, unexpectedOption } from '../errors/field-error.ts'
export { messageOf } from '../errors/message-of.ts'
export { notStartedError } from '../errors/not-started-error.ts'
export { type FileLock, tryFileLock } from '../files/file-lock.ts'
export { ensureFolder, isOwn, isOwnFolder, openOwnFile, otherOwner } from '../files/own-files.ts'
export { readRange } from '../files/read-range.ts'
export { readBounded, readSmallFile, readSmallFileIfAny } from '../files/read-small-file.ts'
export { replaceFile } from '../files/replace-file.ts'
export { withLock } from '../files/with-lock.ts'
export { isTracked, maxIndexBytes } from '../git/is-tracked.ts'
export { type GitCommand, GitMissingError, PrivateGit } from '../git/private-git.ts'
export { findProjectGit, type ProjectGit } from '../git/project-git.ts'
export { type ApprovedGitOptions, runApprovedGit } from '../git/run-approved-git.ts'
export { canonicalJson } from '../json/canonical-json.ts'
export { endOfString } from '../json/end-of-string.ts'
export { isJsonObject } from '../json/is-json-object.ts'
export { isTooDeep, maxJsonDepth, parseJson } from '../json/parse-json.ts'
export { type AddressPolicy, addressOf, addressPolicy } from '../network/address-policy.ts'
export { containsSecret } from '../network/contains-secret.ts'
export { guardSockets } from '../network/guard-sockets.ts'
export { LineReader } from '../network/line-reader.ts'
export { type HostLookup, type HostPolicy, pinnedLookup, resolveHost } from '../network/resolve-host.ts'
export { type LogEntry, logToStderr, safeLog } from '../options/log.ts'
export { resolveOptions } from '../options/resolve-options.ts'
export type { ApprovalOptions } from '../options/runtime-options.ts'
export {
  type ToolSettings,
  type ToolSettingsTable,
  toolPattern,
  toolSettings,
} from '../options/tool-settings.ts'
export { capText, copySlice, defaultMaxContentLength, safeCut } from '../output/head-tail.ts'
export { contentWithoutNotices, noticeText } from '../output/notices.ts'
export { approvalMessage, approvalText } from '../policy/approval-message.ts'
export { defaultApprovalTimeoutMs } from '../policy/ask-person.ts'
export { defaultSecretFiles } from '../policy/default-secret-files.ts'
export { hasWildcard, matchGlob } from '../policy/match-glob.ts'
export { checkCommand } from '../process/check-command.ts'
export { childEnvironment } from '../process/child-environment.ts'
export { containmentReport } from '../process/containment-report.ts'
export { describeResult } from '../process/describe-result.ts'
export { suspendCommands } from '../process/live-commands.ts'
export { excludeOwnPrograms, ownPath, ownProgram } from '../process/own-program.ts'
export { problemOfReport } from '../process/problem-of-report.ts'
export { hasEnded, processIdentity } from '../process/process-identity.ts'
export type { ProcessOptions, ProcessResult, RunningProcess } from '../process/process-options.ts'
export type { ProcessReport } from '../process/process-report.ts'
export { runProcess, startProcess } from '../process/run-process.ts'
export { moveToUserScope } from '../process/user-scope.ts'
export { formatHeartbeat } from '../schedule/heartbeat.ts'
export { describeToolTimeout, resolveToolTimeout } from '../schedule/resolve-call-timeout.ts'
export { compileJsonSchema, compileOwnSchema, loadSchemaCompiler } from '../schema/compile-json-schema.ts'
export { compileSchema, joinPath } from '../schema/compile-schema.ts'
export { described, objectSchema } from '../schema/object-schema.ts'
export { resolveReference } from '../schema/resolve-reference.ts'
export { OutOfTime, runInTime } from '../schema/run-in-time.ts'
export {
  fillTypedArguments,
  parseTypedArguments,
  type TypedArguments,
} from '../schema/typed-arguments.ts'
export { CredentialRequiredError } from '../secrets/credential-required-error.ts'
export {
  describeUse,
  formatUse,
  parseUse,
  splitUse,
  storeSecretCommand,
  toolUse,
} from '../secrets/describe-use.ts'
export { isCredentialRejection, mentionsCredentialError } from '../secrets/is-credential-rejection.ts'
export { Redactor } from '../secrets/redactor.ts'
export { findSecretName } from '../secrets/rejected-credential.ts'
export { isSecretName, minSecretLength, secretNamePattern } from '../secrets/secret-name.ts'
export { environmentVault, type SecretLookup, secretFromEnvironment } from '../secrets/vault.ts'
export { alignColumns } from '../text/align-columns.ts'
export { collapsePadding } from '../text/collapse-padding.ts'
export { didYouMean, nearestName } from '../text/did-you-mean.ts'
export { escapeInvisible } from '../text/escape-invisible.ts'
export { modelText } from '../text/model-text.ts'
export { stripControlSequences, unfinishedFrom } from '../text/strip-control-sequences.ts'
export { textOfHtml } from '../text/text-of-html.ts'
export { callVariableNames, callVariables, machineTime } from '../tool/call-variables.ts'
export { defineToolFrom } from '../tool/define-tool.ts'
export { resourceTemplates, templateParameters } from '../tool/resource-templates.ts'
export { defineSearchTool, searchToolName } from '../tool/search-tool.ts'
export type { BehaviourFlag, ShellCommand, ToolSetting } from '../tool/tool.ts'
export { type ToolAnnotations, toolAnnotations } from '../tool/tool-annotations.ts'
export { describeBehaviour, toolView, type View } from '../tool/tool-views.ts'
export { withFlags } from '../tool/with-flags.ts'
