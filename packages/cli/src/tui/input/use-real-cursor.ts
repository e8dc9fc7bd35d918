import { type CursorPosition, type DOMElement, measureElement, useCursor } from 'ink'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/**
 * Places the terminal's own cursor in an element, which input methods and screen readers need. Returns the ref of the element.
 * `position` is relative to the element; `null` hides the cursor.
 */
export function useRealCursor(position: CursorPosition | null): RefObject<DOMElement | null> {
  const element = useRef<DOMElement>(null)
  const [isMounted, setIsMounted] = useState(false)
  // The first frame is drawn before React has set the ref.
  useLayoutEffect(() => setIsMounted(true), [])
  const { setCursorPosition } = useCursor()
  setCursorPosition(position === null || !isMounted ? undefined : positionIn(element, position))
  return element
}

/**
 * Ink needs a position from the top of its output, but what is above the element can change without it. So the position is read when
 * Ink writes a frame, after the layout of that frame is known.
 */
function positionIn(element: RefObject<DOMElement | null>, { x, y }: CursorPosition): CursorPosition {
  const origin = (): { readonly x: number; readonly y: number } =>
    element.current === null ? { x: 0, y: 0 } : measureElement(element.current)
  return {
    get x() {
      return origin().x + x
    },
    get y() {
      return origin().y + y
    },
  }
}
