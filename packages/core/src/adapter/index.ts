/** `@curfew/core/adapter`: for packages that bring a kind of tool of their own, as `@curfew/mcp` does. */
export { systemClock } from '../clock/clock.ts'
export { documentChecker } from '../config/check-document.ts'
export { type ConfigProblem, configError, configWarning } from '../config/config-problem.ts'
export { readJsonFile } from '../config/read-json-file.ts'
export { messageOf } from '../errors/message-of.ts'
export { replaceFile, withLock } from '../files/replace-file.ts'
export { canonicalJson } from '../json/canonical-json.ts'
export { defineToolFrom, type ToolOrigin } from '../tool/define-tool.ts'
