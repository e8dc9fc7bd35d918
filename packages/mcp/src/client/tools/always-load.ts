/** In the `_meta` of a tool that a client should always show its model in full. */
export const alwaysLoadKey = 'anthropic/alwaysLoad'
