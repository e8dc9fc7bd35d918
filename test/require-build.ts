import { isBuilt } from '../scripts/source-hash.ts'

/** Tests of processes, sockets and terminals run what is built: without this, they could test older code. */
export default function requireBuild(): void {
  if (!isBuilt())
    throw new Error('expected packages that are built from the present sources; run: npm run build')
}
