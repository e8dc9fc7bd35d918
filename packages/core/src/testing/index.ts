export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { recordTransitions, type TransitionRecorder } from './record-transitions.ts'
export { type ScriptedToolOptions, type Step, scriptedTool } from './scripted-tool.ts'
