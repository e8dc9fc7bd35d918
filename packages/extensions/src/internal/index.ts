/** `@curfew/extensions/internal`: for Curfew's own packages only, without any stability promise. */
export { checkedFetch } from '../api/checked-fetch.ts'
export { describeNetworkError } from '../api/describe-network-error.ts'
export { networkFetch } from '../api/network-fetch.ts'
export {
  approvalsFile,
  readApprovals,
  removeApprovals,
  type StoredApproval,
} from '../config/approvals-file.ts'
export { documentChecker } from '../config/check-document.ts'
export { configError, configWarning } from '../config/config-problem.ts'
export { homeFolder, realFolder, refreshTrust } from '../config/config-roots.ts'
export { rulePattern } from '../config/config-schema.ts'
export { findSetting, splitEntryKey } from '../config/config-settings.ts'
export { setConfig, unsetConfig } from '../config/edit-config.ts'
export { configFileName, readLayerFile } from '../config/load-config.ts'
export { type Assignment, commandLine, readAssignment, unknownKey } from '../config/read-assignment.ts'
export { readJsonFile } from '../config/read-json-file.ts'
export { type ConfiguredRules, configuredRules, RulesReload } from '../config/rules-reload.ts'
export { trustedProjectsPath } from '../config/trust.ts'
export {
  type Approval,
  type ApprovedContent,
  approveContent,
  contentHash,
  forgetApprovedContent,
  isApprovedSince,
  nothingApproved,
  readApprovedContent,
  trustedFilesPath,
} from '../config/trusted-files.ts'
export { FileWatch } from '../files/file-watch.ts'
export { applyEdit, editJson, type TextEdit } from '../json/edit-json.ts'
export { escapeKey, type JsonSpan, JsonSpans } from '../json/json-spans.ts'
export { type DuplicateKey, JsonSyntaxError, type ParsedJson, parseJsonc } from '../json/parse-jsonc.ts'
export { approvalsSchema, configSchema, scriptSchema } from '../published-schemas.ts'
export { readToolFile, type ToolFileFormat } from '../read-tool-file.ts'
export { hostUse, isUnencrypted } from '../secrets/host-use.ts'
export { isLoopback } from '../secrets/is-loopback.ts'
export { openKeychain } from '../secrets/keychain-store.ts'
export { secretFile } from '../secrets/open-vault.ts'
