export { CurfewProvider } from './curfew-provider.ts'
