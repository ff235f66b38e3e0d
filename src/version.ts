/** Equal to package.json's; a test holds them together. Here so that `--version` loads nothing else. */
export const VERSION = '1.0.0'
