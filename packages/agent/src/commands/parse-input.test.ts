import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseInput, type TypedInput } from './parse-input.ts'

const prompt = (text: string): TypedInput => ({ type: 'prompt', text, mentions: [] })
const command = (name: string, args = ''): TypedInput => ({ type: 'command', name, args })
const shell = (command: string): TypedInput => ({ type: 'shell', command })

describe('commands', () => {
  test.each<[string, TypedInput]>([
    ['/help', command('help')],
    ['/?', command('?')],
    ['  /help \n', command('help')],
    ['/tool word_count {\n  "text": "a"\n}', command('tool', 'word_count {\n  "text": "a"\n}')],
    ['/git:commit fix', command('git:commit', 'fix')],
    ['/mcp__files__summarize x', command('mcp__files__summarize', 'x')],
    // A mistyped command, possibly with a secret, is never sent to the model.
    ['/secert TOKEN abc', command('secert', 'TOKEN abc')],
    ['/tmp is full', command('tmp', 'is full')],
  ])('%j is a command', (text, expected) => {
    expect(parseInput(text)).toEqual(expected)
  })

  test.each([
    '/usr/bin/env fails',
    '/home/',
    '/',
    '/ x',
    '//',
    '// a comment',
    '//server/share',
    '/* a comment */',
    'see /help',
    '',
    ' \n ',
    '1/2',
  ])('%j is text', (text) => {
    expect(parseInput(text)).toEqual(prompt(text))
  })
})

describe('shell commands', () => {
  test.each<[string, TypedInput]>([
    ['!ls -la', shell('ls -la')],
    [' ! ls', shell('ls')],
    ['!cat <<X\na\nX', shell('cat <<X\na\nX')],
    ['!!', shell('!')],
  ])('%j runs a command', (text, expected) => {
    expect(parseInput(text)).toEqual(expected)
  })

  test.each(['!', '! ', '![logo](a.png)\nrm -rf x', 'Stop!'])('%j is text', (text) => {
    expect(parseInput(text)).toEqual(prompt(text))
  })
})

describe('escapes', () => {
  test.each([
    ['\\/help', '/help'],
    ['//help me', '/help me'],
    ['\\/usr/bin', '/usr/bin'],
    ['\\!important', '!important'],
    ['  \\/help', '  /help'],
  ])('%j is the text %j', (text, expected) => {
    expect(parseInput(text)).toEqual(prompt(expected))
  })

  test('a backslash elsewhere is kept', () => {
    expect(parseInput('a \\/b \\! \\x')).toEqual(prompt('a \\/b \\! \\x'))
    expect(parseInput('\\\\/help')).toEqual(prompt('\\\\/help'))
  })
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('/', '!', '@', '\\', ' ', '\n', '"', 'a', ':', '.', '(', ')', '[', '*'),
  }),
)

test('any text is understood, and the text of a prompt is preserved', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const input = parseInput(text, (server) => server === 'a')
      if (input.type === 'command') expect(text.trim()).toMatch(/^\//)
      else if (input.type === 'shell') expect(text.trim().slice(1).trim()).toBe(input.command)
      else {
        const at = text.length - text.trimStart().length
        const unescaped = text.slice(0, at) + text.slice(at + 1)
        expect(/^(\\[/!]|\/\/[^/\s])/.test(text.trimStart()) ? [text, unescaped] : [text]).toContain(
          input.text,
        )
        let end = 0
        for (const mention of input.mentions) {
          expect(mention.start).toBeGreaterThanOrEqual(end)
          expect(input.text.slice(mention.start, mention.end)).toBe(mention.text)
          expect(mention.text).toMatch(/^@./s)
          end = mention.end
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('any text can be sent as a prompt', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const typed = parseInput(text).type === 'prompt' ? text : `\\${text.trimStart()}`
      expect(parseInput(typed).type).toBe('prompt')
    }),
  )
})
