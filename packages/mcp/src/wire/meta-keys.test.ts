import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import {
  clientCapabilitiesKey,
  clientInfoKey,
  logLevelKey,
  protocolVersionKey,
  relatedTaskKey,
} from './meta-keys.ts'

test('the keys are those of the SDK', () => {
  expect([clientCapabilitiesKey, clientInfoKey, logLevelKey, protocolVersionKey, relatedTaskKey]).toEqual([
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    LOG_LEVEL_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    RELATED_TASK_META_KEY,
  ])
})
