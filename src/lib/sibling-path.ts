import { isAbsolute, posix } from 'node:path'

/** The path of what `written` names from the folder that `file` lies in; both with `/`, relative to one folder. */
export function siblingPath(file: string, written: string): string {
  const path = written.replaceAll('\\', '/')
  return isAbsolute(path) ? path : posix.join(posix.dirname(file), path)
}
