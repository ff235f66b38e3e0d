import type { Host } from '../core/host.ts'
import { type ArtifactPlace, artifactBaseline } from './artifact.ts'
import type { BaselineStore } from './baseline-store.ts'
import { fileBaseline } from './file.ts'

export { baselineOrigin } from './artifact.ts'
export type { BaselineStore } from './baseline-store.ts'

/** Where a baseline is kept: a file that the user names, or the artifacts of earlier runs. */
export type BaselinePlace = { readonly kind: 'file'; readonly path: string } | ArtifactPlace

export function createBaselineStore(place: BaselinePlace, host: Host): BaselineStore {
  return place.kind === 'file' ? fileBaseline(place.path, host) : artifactBaseline(place, host)
}
