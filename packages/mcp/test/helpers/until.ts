export { until } from '../../../../test/support/until.ts'
