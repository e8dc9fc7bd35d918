import type { Call } from '../store/call.ts'

/** Registers a function that runs if the call stops or ends. Returns a function that unregisters it. */
export function addWithdrawal(call: Call, withdraw: () => void): () => void {
  const withdrawals = (call.withdrawals ?? new Set()).add(withdraw)
  call.withdrawals = withdrawals
  // Not `call.withdrawals`: the set moves with a call that continues in the background.
  return () => {
    withdrawals.delete(withdraw)
  }
}

/** Withdraws everything that the call is still waiting for. */
export function withdrawAll(call: Call): void {
  if (call.withdrawals === null) return
  for (const withdraw of [...call.withdrawals]) withdraw()
  call.withdrawals = null
}
