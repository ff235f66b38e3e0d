// The parser behind sucrase's transformer: its package has no types at these paths.
declare module 'sucrase/dist/parser/index.js' {
  import type { File } from 'sucrase/dist/types/parser/index.js'
  export function parse(code: string, isJsx: boolean, isTypeScript: boolean, isFlow: boolean): File
}
declare module 'sucrase/dist/parser/tokenizer/types.js' {
  export { TokenType } from 'sucrase/dist/types/parser/tokenizer/types.js'
}
declare module 'sucrase/dist/parser/tokenizer/keywords.js' {
  export { ContextualKeyword } from 'sucrase/dist/types/parser/tokenizer/keywords.js'
}
