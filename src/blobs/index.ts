export { agreeOnCut } from './agree-on-cut.ts'
export {
  type BlobArtifacts,
  type LegResults,
  loadEarlierRuns,
  loadResultsOf,
  storeBlob,
} from './blob-artifacts.ts'
export { readBlobFile, saveBlobFile } from './blob-file.ts'
export { blobOf, type GatheredRuns, gatheredFrom } from './blob-of.ts'
export { earlierRuns } from './earlier-runs.ts'
export { manifestOf } from './manifest.ts'
export { type FoundBlob, mergeBlobs } from './merge-blobs.ts'
export { cutPlan, partition, weightsOf } from './shards.ts'
