import type { Answer } from './scripted-model.ts'

/** A JSON schema of arguments, as a file. */
export const schema = (properties: object, more: object = {}) =>
  JSON.stringify({ type: 'object', description: 'Does it', properties, ...more })

/** An assistant with a server of its own scripts; `mcp` is that of its package.yao. */
export const toolFiles = (
  mcp: object = { servers: ['kit'] },
  more: Record<string, string> = {},
): Record<string, string> => ({
  'assistants/a/package.yao': JSON.stringify({ name: 'A', connector: 'm', mcp }),
  'mcps/kit.mcp.yao': `{
    // tools of the application
    "transport": "process",
    "tools": { "add": "scripts.kit.Add", "who": "scripts.kit.Who", "fail": "scripts.kit.Fail", },
    "resources": { "info": "scripts.kit.Info" }
  }`,
  'mcps/mapping/kit/schemes/add.in.yao': schema(
    { a: { type: 'number' }, b: { type: 'object', properties: { c: { type: 'integer' } } } },
    { required: ['a'], 'x-process-args': ['$args.a', '$b.c', 'fixed', ':arguments'] },
  ),
  'mcps/mapping/kit/schemes/who.in.yao': schema({}),
  'mcps/mapping/kit/schemes/fail.in.yao': schema({}),
  'scripts/kit.ts': `
    export function Add(a, c, fixed, all, ctx) { return { sum: a + (c ?? 0), fixed, all, chat: ctx.chat_id } }
    export function Who(all, ctx) { return ctx.authorized.user_id + ' of ' + ctx.assistant_id }
    export function Fail() { throw new Error('the tool is broken') }
    export function Info() { return { version: 1 } }`,
  ...more,
})

/** An answer that calls these tools. */
export const toolCalls = (...list: [name: string, given: object | string][]): Answer => ({
  toolCalls: list.map(([name, given], index) => ({
    id: `c${index + 1}`,
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  })),
})
