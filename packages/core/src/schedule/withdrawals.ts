import type { Call } from '../store/call.ts'

/** Registers a function that runs if the call stops or ends. Returns a function that unregisters it. */
export function addWithdrawal(call: Call, withdraw: () => void): () => void {
  call.withdrawals = (call.withdrawals ?? new Set()).add(withdraw)
  return () => {
    call.withdrawals?.delete(withdraw)
  }
}

/** Withdraws everything that the call is still waiting for. */
export function withdrawAll(call: Call): void {
  if (call.withdrawals === null) return
  for (const withdraw of [...call.withdrawals]) withdraw()
  call.withdrawals = null
}
