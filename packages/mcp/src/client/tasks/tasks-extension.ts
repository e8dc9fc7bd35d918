/** The extension of the 2026 protocol for tasks; in the 2025 protocol they are a capability. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'
