import { expect, test } from 'vitest'
import { resultsIn } from './results-in.ts'

test('OpenAI: the tool messages after the last response', () => {
  const messages = [
    { role: 'user', content: 'Use the tools.' },
    { role: 'assistant', tool_calls: [{ id: 'old' }] },
    { role: 'tool', tool_call_id: 'old', content: 'an old result' },
    { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
    { role: 'tool', tool_call_id: 'a', content: 'done' },
    {
      role: 'tool',
      tool_call_id: 'b',
      content: [
        { type: 'text', text: 'Error: ' },
        { type: 'text', text: 'it broke' },
      ],
    },
  ]
  expect(resultsIn('openai', { messages })).toEqual([
    { id: 'a', text: 'done', isError: false },
    { id: 'b', text: 'Error: it broke', isError: true },
  ])
})

test('Anthropic: the results in the last message, whose errors have a field', () => {
  const content = [
    { type: 'tool_result', tool_use_id: 'a', content: 'done' },
    { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'it broke' }], is_error: true },
    { type: 'text', text: 'Go on.' },
  ]
  expect(resultsIn('anthropic', { messages: [{ role: 'user', content }] })).toEqual([
    { id: 'a', text: 'done', isError: false },
    { id: 'b', text: 'it broke', isError: true },
  ])
})

test('Anthropic: a prompt has no results', () => {
  expect(resultsIn('anthropic', { messages: [{ role: 'user', content: 'Use the tools.' }] })).toEqual([])
})

test('Google: the responses in the last content, by id or else by name', () => {
  const parts = [
    { functionResponse: { id: 'a', name: 'quick', response: { result: 'done' } } },
    { functionResponse: { name: 'fails', response: { error: 'it broke' } } },
    { text: 'Go on.' },
  ]
  expect(resultsIn('google', { contents: [{ role: 'user', parts }] })).toEqual([
    { id: 'a', text: '{"result":"done"}', isError: false },
    { id: 'fails', text: '{"error":"it broke"}', isError: true },
  ])
})
