export { commandLine } from '../config/config-flags.ts'
export type { ConfigOptions, EffectiveSetting } from '../config/config-options.ts'
export { type ConfigProblem, formatProblem } from '../config/config-problem.ts'
export {
  type ConfigRoots,
  configRoots,
  type ProjectRoot,
  realFolder,
  type Surroundings,
} from '../config/config-roots.ts'
export { type Config, loadConfig } from '../config/load-config.ts'
export type { LoadedTool, LoadedTools } from '../config/loaded-tools.ts'
export { setTrust, trustedProjects } from '../config/trust.ts'
export { type Extensions, loadExtensions } from './load-extensions.ts'
export { configSchema, scriptSchema } from './published-schemas.ts'
export { readToolFile, type ToolFileFormat } from './read-tool-file.ts'
