import type { CurfewError } from '../errors/curfew-error.ts'
import { ApprovalRules } from '../policy/approval-rules.ts'
import { CredentialRounds } from '../policy/credential-rounds.ts'

/** What a person decided during a turn. Shared by the turn and all turns beneath it. */
export class RootTurn {
  /** Rules that a person allowed for this turn. Created on first use. */
  allowed: ApprovalRules | null = null
  /** A person stopped the turn. */
  stopped = false
  #rounds: CredentialRounds | null = null
  #denials: Map<string, CurfewError> | null = null

  /** The number of prompts for keys. */
  get rounds(): CredentialRounds {
    this.#rounds ??= new CredentialRounds()
    return this.#rounds
  }

  /** Secrets that a person denied in this turn, by question. */
  get denials(): Map<string, CurfewError> {
    this.#denials ??= new Map()
    return this.#denials
  }

  allow(rule: string): void {
    this.allowed ??= new ApprovalRules()
    this.allowed.allow(rule)
  }
}
