import { expect, it } from 'vitest'
import { parseOpening } from './parse-opening.ts'

it.each([
  ['Apply patches to a file.', 'imperative', 'apply'],
  ['Reply to a message.', 'imperative', 'reply'],
  ['Multiply two numbers.', 'imperative', 'multiply'],
  ['Safely delete a file.', 'imperative', 'delete'],
  ['Please, list the files.', 'imperative', 'list'],
  ['Quickly lists files.', 'third-person', 'list'],
  ['Listing files.', 'gerund', 'list'],
  ['List of files.', 'noun', undefined],
  ['The weather of a city.', 'noun', undefined],
  ['Nightly sync.', 'noun', undefined],
  ['Word counter for texts.', 'noun', undefined],
  ['Weather information for a city.', 'noun', undefined],
  ['User lookup by email.', 'noun', undefined],
  ['Email sender.', 'noun', undefined],
  ['Database access.', 'noun', undefined],
  ['Current time in a timezone.', 'noun', undefined],
  ['PDF to text conversion.', 'noun', undefined],
  ['Image generation with DALL-E.', 'noun', undefined],
  ['Enhanced grammar check.', 'noun', undefined],
  ['Text classification.', 'noun', undefined],
  ['Geo management for maps.', 'noun', undefined],
  ['News headlines for a topic.', 'noun', undefined],
  ['Access to the file system.', 'noun', undefined],
  ['File content of a path.', 'noun', undefined],
  ['File bugs in a tracker.', 'unknown', 'file'],
  ['3D model viewer.', 'noun', undefined],
  ['Can read a file.', 'third-person', 'read'],
  ['Will read a file.', 'third-person', 'read'],
  ['Used to read a file.', 'third-person', 'read'],
  ['Can be used to read a file.', 'third-person', 'read'],
  ['Given an image, resizes it to the given width.', 'third-person', 'resize'],
  ['Given data.', 'noun', undefined],
  ['Email a report to a customer.', 'unknown', 'email'],
  ['Email customers of a shop.', 'unknown', 'email'],
  ['Image a disk.', 'unknown', 'image'],
  ['OCR an image.', 'unknown', 'ocr'],
  ['SSH to a host.', 'unknown', 'ssh'],
  ['Reify information in a text.', 'unknown', 'reify'],
  ['Transpile code to JavaScript.', 'unknown', 'transpile'],
  ['Dedupe rows of a table.', 'unknown', 'dedupe'],
  ['Yeet user reviews.', 'unknown', 'yeet'],
  ['Proceed to checkout.', 'unknown', 'proceed'],
  ['Embed a text.', 'imperative', 'embed'],
  ['Frobnicate the records.', 'unknown', 'frobnicate'],
  ['', 'noun', undefined],
])('%s', (sentence, kind, verb) => {
  expect(parseOpening(sentence)).toMatchObject({ kind, verb })
})

it('replaces "it" by the object that was given', () => {
  expect(parseOpening('Given an image, resizes it to a width.').after).toBe(' an image to a width.')
  expect(parseOpening('Given a city, returns the weather.').after).toBe(' the weather.')
})
