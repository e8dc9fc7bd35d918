import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forEachCluster } from './character-clusters.ts'
import { widthOf } from './text-width.ts'

// The copy that Ink measures with: a line that is wider for it would be wrapped again.
const inkRequire = createRequire(createRequire(import.meta.url).resolve('ink'))
const { default: stringWidth } = (await import(inkRequire.resolve('string-width'))) as {
  default: (text: string) => number
}

const samples = {
  ascii: 'plain text',
  accents: 'größe, e\u0301tude, a\u0308\u0323',
  chinese: '天気は晴れ、漢字。',
  'korean, composed and decomposed': '한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8',
  'half and full width': 'ｶﾞ ＡＢＣ',
  emoji: '🎉 ✅ ❌ ⚡ 🚀 ⭐ ✨ 🐛',
  'text symbols': '✓ ✗ ☐ ☑ • → … ─ │ ⚠ ♥ ☺',
  'emoji presentation': '❤\ufe0f ⚠\ufe0f ☺\ufe0f ✔\ufe0f ©\ufe0f',
  'text presentation of an emoji': '❤\ufe0e',
  keycaps: '1\ufe0f\u20e3 #\ufe0f\u20e3 2\u20e3',
  'skin tones': '👍🏽 ☝🏿 👩🏾‍💻',
  families: '👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 ❤‍🔥 🏴‍☠️ 👁️‍🗨️ 🧑‍🤝‍🧑',
  flags: '🇩🇪🇫🇷 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  thai: 'สวัสดี',
  arabic: 'مرحبا بالعالم',
  hebrew: 'שָׁלוֹם',
  'zero width': 'a\u200bb\u200dc\u2060d\ufeffe',
  braille: '⠋⠙⠹',
  boxes: '┌─┬─┐ █░ ▏',
}

test.each(Object.entries(samples))('%s: as wide as Ink measures it', (_, text) => {
  expect(widthOf(text)).toBe(stringWidth(text))
})

test('nothing is narrower than Ink measures it', () => {
  const parts = [...Object.values(samples), 'नमस्ते दुनिया'].flatMap((text) => [...text])
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...parts) }))
  fc.assert(
    fc.property(text, (text) => {
      expect(widthOf(text)).toBeGreaterThanOrEqual(stringWidth(text))
    }),
    { numRuns: 2_000 },
  )
})

test('clusters are the whole text, and as wide as it', () => {
  for (const text of Object.values(samples)) {
    let joined = ''
    let sum = 0
    forEachCluster(text, (cluster, width) => {
      joined += cluster
      sum += width
    })
    expect(joined).toBe(text)
    expect(sum).toBe(widthOf(text))
  }
})

test('an emoji with its parts is one cluster', () => {
  for (const text of ['👨‍👩‍👧‍👦', '👍🏽', '🇩🇪', '1\ufe0f\u20e3', 'e\u0301', '\u1112\u1161\u11ab']) {
    const clusters: string[] = []
    forEachCluster(text, (cluster) => clusters.push(cluster))
    expect(clusters).toEqual([text])
  }
})
