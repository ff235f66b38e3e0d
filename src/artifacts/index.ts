export { downloadArtifact } from './download.ts'
export { readArchive } from './read-archive.ts'
export { describeUnsent, obstacleTo, sendArtifact, uploadArtifact } from './upload.ts'
