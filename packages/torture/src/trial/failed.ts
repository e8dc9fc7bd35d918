/** A case failed: what was expected, and what happened. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** A case does not apply to the product. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}
