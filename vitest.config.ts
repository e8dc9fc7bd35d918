import { defineConfig } from 'vitest/config'
import { vitestConfig } from './test/vitest-config.ts'

export default defineConfig(vitestConfig('fast'))
