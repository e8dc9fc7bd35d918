import { createReference } from './create-reference.ts'

export default createReference({ onlyConversation: true })
