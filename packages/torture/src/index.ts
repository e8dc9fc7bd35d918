export type {
  Adapter,
  ApiSetup,
  Call,
  Feature,
  ListedCall,
  ModelSetup,
  Opened,
  Result,
  ServerSetup,
  Settings,
  Setup,
  ToolContext,
  ToolSetup,
} from './adapter/adapter.ts'
export { allCases } from './cases/all-cases.ts'
export type { TortureCase } from './cases/torture-case.ts'
export { toMarkdown } from './report/to-markdown.ts'
export { type Cell, runSuite, type SuiteOptions, type SuiteReport } from './suite/run-suite.ts'
