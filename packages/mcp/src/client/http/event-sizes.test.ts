import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventSizes } from './event-sizes.ts'

test('an event is as large as what came since the last blank line, however that is written and cut', () => {
  const line = fc.constantFrom('data: a', 'data: more of it', ': note', 'id: 7')
  const ending = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(
      fc.array(fc.array(line, { minLength: 1 })),
      ending,
      fc.array(line),
      fc.nat(9),
      (events, end, rest, step) => {
        const whole = events.map((lines) => lines.map((text) => text + end).join('') + end).join('')
        const open = rest.map((text) => text + end).join('')
        const bytes = Buffer.from(whole + open)
        const sizes = new EventSizes()
        let size = 0
        for (let from = 0; from < bytes.length; from += step + 1)
          size = sizes.push(bytes.subarray(from, from + step + 1))
        expect(size).toBe(open.length)
      },
    ),
  )
})
