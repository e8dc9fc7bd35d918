import { expect, test } from 'vitest'
import { isInTheWayOf } from './ignored-then.ts'

test('a path needs a folder where a file is, or is where a file needs a folder', () => {
  const isInTheWay = isInTheWayOf(['a', 'b/c/d'])
  expect(['a/x', 'a/x/y', 'b', 'b/c', 'b/c/d/e'].filter((path) => !isInTheWay(path))).toEqual([])
  expect(['a', 'ab', 'b/c/d', 'b/c/x', 'b/x', 'c'].filter(isInTheWay)).toEqual([])
})
