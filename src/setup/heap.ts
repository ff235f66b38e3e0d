import { setFlagsFromString } from 'node:v8'

export const HEAP_FLAG = '--heap-growing-percent=20'

/**
 * Lets V8 collect the whole heap when it has grown by a fifth. Left alone it waits until the heap is up to four times
 * what is in use, which takes hundreds of megabytes with a large suite; collecting a small heap more often costs little.
 * V8 reads the setting at each collection, so it takes effect in a process that runs already.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(HEAP_FLAG)
}
