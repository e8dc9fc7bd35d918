/** For the SDK's own limits, which must not fire: deadlines are the scheduler's. */
export const noSdkTimeout: number = 2 ** 31 - 1
