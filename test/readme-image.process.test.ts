import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { palettes } from '../scripts/readme-image/palettes.ts'
import { parseStyledScreen, plainStyle } from '../scripts/readme-image/parse-styled-screen.ts'
import { screenToSvg } from '../scripts/readme-image/screen-to-svg.ts'
import { settleScreen } from '../scripts/readme-image/settle-screen.ts'

const esc = '\u001b'
/** What tmux prints: styles last until they are changed, also in the next line. */
const captured = [
  `${esc}[1m> A <question> & more${esc}[0m`,
  `${esc}[32m✓${esc}[39m read_file${esc}[2m · 12 ms`,
  `${esc}[0;33m21 s ███░░${esc}[38;5;28m a${esc}[38;2;1;2;255mb${esc}[0;7m c ${esc}[0m`,
].join('\n')

describe('a styled screen', () => {
  test('is split into runs with their columns and styles', () => {
    const [first, second, third] = parseStyledScreen(captured)
    expect(first).toEqual([
      { text: '> A <question> & more', column: 0, style: { ...plainStyle, bold: true } },
    ])
    expect(second!.map(({ text, column, style }) => [text, column, style.color, style.dim])).toEqual([
      ['✓', 0, 2, false],
      [' read_file', 1, null, false],
      [' · 12 ms', 11, null, true],
    ])
    expect(third!.map(({ text, style }) => [text, style.color, style.inverse])).toEqual([
      ['21 s ███░░', 3, false],
      [' a', 28, false],
      ['b', '#0102ff', false],
      [' c ', null, true],
    ])
  })

  test('contains no other control sequences', () => {
    expect(parseStyledScreen(`a${esc}(Bb\u0007c\r`)).toEqual([
      [{ text: 'abc', column: 0, style: plainStyle }],
    ])
  })

  test('has the colours of xterm beyond the palette', () => {
    const svg = screenToSvg(`${esc}[38;5;196ma${esc}[38;5;28mb${esc}[38;5;242mc`, options())
    expect(svg.match(/fill="#(ff0000|008700|6c6c6c)"/g)).toHaveLength(3)
  })
})

function options() {
  return { columns: 40, palette: palettes.dark, title: 'A "title" & more' }
}

describe('its image', () => {
  const svg = screenToSvg(captured, options())

  test('is well-formed, with all text in it', () => {
    expect(textsOf(svg)).toEqual([
      'A "title" & more',
      '> A <question> & more',
      'read_file',
      '· 12 ms',
      '21 s',
      'a',
      'b',
      'c',
    ])
  })

  test('begins where it should', () => {
    expect(textsOf(screenToSvg(captured, { ...options(), beginsWith: 'read_file' }))).not.toContain(
      '> A <question> & more',
    )
  })

  test('draws bars and marks as shapes, and inverse text on a background', () => {
    const { colors, text, background } = palettes.dark
    expect(svg).toMatch(new RegExp(`<rect [^>]*width="25.2" height="11" fill="${colors[3]}"/>`))
    expect(svg).toMatch(new RegExp(`<rect [^>]*width="16.8" height="11" fill="${colors[3]}" opacity`))
    expect(svg).toMatch(new RegExp(`<path [^>]*stroke="${colors[2]}"`))
    expect(svg).toMatch(new RegExp(`<rect [^>]*width="25.2" height="19" fill="${text}"/>`))
    expect(svg).toMatch(new RegExp(`<text [^>]*fill="${background}"[^>]*>c</text>`))
  })
})

test('what differs from run to run is replaced', () => {
  expect(settleScreen('⠧ a · 139 ms · quiet for 3 s')).toBe('⠹ a · 12 ms · quiet for 20 s')
})

describe.each(['dark', 'light'])('docs/images/terminal-%s.svg', (theme) => {
  const svg = readFileSync(`docs/images/terminal-${theme}.svg`, 'utf8')

  test('is well-formed, small, and shows the scene', () => {
    const shown = textsOf(svg).join('\n')
    expect(svg.length).toBeLessThan(40_000)
    for (const part of [
      'Uploads hang',
      'script_test',
      '21 s of 30 s',
      'Approval',
      'timeout: 30_000',
      'Yes, once',
    ])
      expect(shown).toContain(part)
  })

  test('contains nothing but shapes and text', () => {
    const names = new Set([...svg.matchAll(/<([\w:]+)/g)].map(([, name]) => name))
    expect([...names].sort()).toEqual(['circle', 'g', 'path', 'rect', 'svg', 'text', 'title'])
    expect(svg).not.toMatch(/\bon\w+=|href|url\(|<!|javascript:|\/tmp\/|127\.0\.0\.1/)
    expect(svg.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg'])
  })

  test('is in the README', () => {
    expect(readFileSync('README.md', 'utf8')).toContain(`docs/images/terminal-${theme}.svg`)
  })
})

/** The text of all elements. Throws if the document is not well-formed. */
function textsOf(xml: string): string[] {
  const open: string[] = []
  const texts: string[] = []
  let end = 0
  for (const { 0: tag, 1: closes, 2: name, 3: empty, index } of xml.matchAll(tagPattern)) {
    if (open.length === 0 && end > 0) throw new Error(`after the end: ${tag}`)
    const between = xml.slice(end, index)
    if (!contentPattern.test(between)) throw new Error(`not allowed between tags: ${between}`)
    if (between.trim() !== '') texts.push(decode(between))
    if (closes === '/' && open.pop() !== name) throw new Error(`closes another element: ${tag}`)
    if (closes === '' && empty === '') open.push(name!)
    end = index + tag.length
  }
  if (open.length > 0 || xml.slice(end).trim() !== '')
    throw new Error(`not closed: ${open.join()}${xml.slice(end)}`)
  return texts
}

const tagPattern = /<(\/?)([\w:]+)(?: [\w:-]+="(?:[^"<&]|&(?:amp|lt|gt|quot);)*")*(\/?)>/g
const contentPattern = /^(?:[^<>&]|&(?:amp|lt|gt|quot);)*$/

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

test.each([['<a><b></a></b>'], ['<a>&</a>'], ['<a b="<"/>'], ['<a></a><b></b>'], ['<a>'], ['<a b=c></a>']])(
  '%s is not well-formed',
  (xml) => {
    expect(() => textsOf(xml)).toThrow()
  },
)
