/** For the SDK's own limits, which must not fire: deadlines are the scheduler's. */
export const never: number = 2 ** 31 - 1
