export function shorten(path: string): string {
  return path.length > 60 ? `…${path.slice(-59)}` : path
}
