import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/**
 * The SDK handles a notification a moment after it was delivered, but an answer at once, and then nobody waits
 * any longer for what the answer's call reports: the progress right before it would be lost. So whatever comes
 * behind a notification waits until that was handled.
 */
export function deliverInOrder(
  deliver: (message: JSONRPCMessage) => void,
): (message: JSONRPCMessage) => void {
  const waiting: JSONRPCMessage[] = []
  let isHeld = false

  function hand(message: JSONRPCMessage): void {
    deliver(message)
    if ('id' in message) return
    isHeld = true
    queueMicrotask(release)
  }

  function release(): void {
    isHeld = false
    while (!isHeld && waiting.length > 0) hand(waiting.shift()!)
  }

  return (message) => {
    if (isHeld) waiting.push(message)
    else hand(message)
  }
}
