/** Disables the SDK's request timeout: deadlines are enforced by the scheduler. */
export const noSdkTimeout: number = 2 ** 31 - 1
