export { described, left, newTag, peakMemory, untilNoneLeft } from '../../../../test/support/processes.ts'
