import { CurfewError } from '@curfew/core'
import { expect, test } from 'vitest'
import { parseModelName } from './parse-model-name.ts'

test.each([
  ['google:gemini-3-pro', 'google', 'gemini-3-pro', null],
  [' anthropic:claude-sonnet-4-5 ', 'anthropic', 'claude-sonnet-4-5', null],
  [
    'openai-compatible:qwen3@http://127.0.0.1:8080/v1',
    'openai-compatible',
    'qwen3',
    'http://127.0.0.1:8080/v1',
  ],
  ['openai-compatible:qwen3:8b@https://x.test/v1/', 'openai-compatible', 'qwen3:8b', 'https://x.test/v1'],
  [
    'openai-compatible:org/model@2024@http://[::1]:1',
    'openai-compatible',
    'org/model@2024',
    'http://[::1]:1',
  ],
  ['openai-compatible:a@http@http://x.test', 'openai-compatible', 'a@http', 'http://x.test'],
  ['google:model@v2', 'google', 'model@v2', null],
  ['openai-compatible:@cf/meta/llama-3', 'openai-compatible', '@cf/meta/llama-3', null],
  ['openai-compatible:org@2:4b', 'openai-compatible', 'org@2:4b', null],
])('%s', (text, provider, name, baseUrl) => {
  expect(parseModelName(text)).toEqual({ provider, name, baseUrl })
})

test.each([
  ['some-model', 'model: expected provider:name[@base-url], such as google:gemini-pro-latest'],
  ['', 'model: expected provider:name[@base-url]'],
  ['gogle:gemini', 'model: unknown provider "gogle"; did you mean "google"?'],
  ['other:x', 'model: unknown provider "other"; use one of google, anthropic, openai-compatible'],
  ['openai:gpt-5.5', 'model: unknown provider "openai"; did you mean "openai-compatible"?'],
  ['gemini:gemini-pro', 'model: unknown provider "gemini"; did you mean "google"?'],
  [
    'openai-compatible:qwen3@127.0.0.1:8080/v1',
    'model: expected a base URL that starts with http:// or https:// after the @, got "127.0.0.1:8080/v1"',
  ],
  [
    'openai-compatible:qwen3:4b@localhost/v1',
    'model: expected a base URL that starts with http:// or https:// after the @, got "localhost/v1"',
  ],
  ['http://127.0.0.1:8080', 'model: unknown provider "http"'],
  ['google:../../x', 'model: expected the name of a model after "google:", got "../../x"'],
  ['google:a/%2e%2e/x', 'model: expected the name of a model'],
  ['google:x?key=1', 'model: expected the name of a model'],
  ['google:/x', 'model: expected the name of a model'],
  ['openai-compatible:x\x1b[31m', 'model: expected the name of a model'],
  [
    'openai-compatible:x@HTTP://h',
    'model: expected a base URL that starts with http:// or https:// after the @, got "HTTP://h"',
  ],
  ['openai-compatible:x@ftp://h', 'model: expected a base URL that starts with http:// or https://'],
  ['google:', 'model: expected the name of a model after "google:", got ""'],
  [
    'openai-compatible:@http://x.test',
    'model: expected the name of a model after "openai-compatible:", got ""',
  ],
  ['google:two words', 'model: expected the name of a model after "google:"'],
  [
    'openai-compatible:a@http:/',
    'model: expected a base URL that starts with http:// or https://, got "http:/"',
  ],
  ['openai-compatible:a@httpx://x.test', 'model: expected a base URL that starts with http:// or https://'],
  [
    'openai-compatible:a@http://user:hunter2@x.test',
    'model: the base URL must not contain a user name or password',
  ],
  [
    'openai-compatible:a@http://x.test/?key=hunter2',
    'model: the base URL must not contain a query or fragment',
  ],
])('%j is rejected', (text, message) => {
  const error = errorOf(() => parseModelName(text))
  expect(error.message.startsWith(message)).toBe(true)
  expect(error.field).toBe('model')
  expect(error.message).not.toContain('hunter2')
})

test.each([
  ['claude-sonnet-5-5', 'anthropic:claude-sonnet-5-5'],
  ['gemini-pro-latest', 'google:gemini-pro-latest'],
  ['gpt-5.5', 'openai-compatible:gpt-5.5'],
  ['qwen3@http://user:hunter2@x.test', 'openai-compatible:qwen3@URL'],
])('%s without a provider suggests %s', (text, suggested) => {
  const { message } = errorOf(() => parseModelName(text))
  expect(message).toContain('expected provider:name')
  expect(message.endsWith(`did you mean "${suggested}"?`)).toBe(true)
  expect(message).not.toContain('hunter2')
})

test('the error names the field', () => {
  expect(errorOf(() => parseModelName('x', '--model')).message).toMatch(/^--model: /)
})

function errorOf(run: () => unknown): CurfewError {
  try {
    run()
  } catch (error) {
    if (error instanceof CurfewError) return error
  }
  throw new Error('expected a CurfewError')
}
