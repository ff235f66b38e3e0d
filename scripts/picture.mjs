// `node scripts/picture.mjs`: writes docs/comment.png, the demo's comment as a reader of the pull request sees it.
// Needs Debian's chromium, or another one named by CHROMIUM, and pngquant. Look at the picture before you commit it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const picture = join(root, 'docs', 'comment.png')
const chromium = process.env.CHROMIUM ?? 'chromium'
const WIDTH = 880
const MOST_BYTES = 200_000

/** A little of GitHub's own look. */
const STYLE = `
  body { margin: 0; padding: 12px; background: #fff; }
  article { padding: 4px 20px 12px; border: 1px solid #d1d9e0; border-radius: 6px; color: #1f2328;
    font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", Helvetica, Arial, sans-serif; }
  h3 { font-size: 1.25em; margin: 16px 0; } h4 { font-size: 1em; margin: 16px 0 8px; }
  p { margin: 0 0 12px; } ul { margin: 0 0 12px; padding-left: 2em; }
  code, pre { font: 12px/1.45 ui-monospace, SFMono-Regular, "Liberation Mono", Menlo, monospace; }
  code { padding: .2em .4em; background: #818b981f; border-radius: 6px; }
  pre { margin: 0 0 12px; padding: 10px 12px; background: #f6f8fa; border-radius: 6px; white-space: pre-wrap; }
  pre code { padding: 0; background: none; }
  table { border-collapse: collapse; margin: 0 0 16px; }
  th, td { padding: 6px 13px; border: 1px solid #d1d9e0; } th { font-weight: 600; }
  details { margin: 0 0 12px; } summary { margin-bottom: 8px; cursor: pointer; }
  sub { font-size: 75%; color: #59636e; }
  blockquote { margin: 0 0 16px; padding: 8px 16px; border-left: .25em solid var(--mark); }
  blockquote p { margin: 0; } blockquote .title { margin-bottom: 4px; color: var(--mark); font-weight: 600; }
  .caution { --mark: #d1242f; } .warning { --mark: #9a6700; } .note { --mark: #0969da; } .tip { --mark: #1a7f37; }
`

const folder = mkdtempSync(join(tmpdir(), 'agent-test-picture-'))
try {
  const page = join(folder, 'comment.html')
  writeFileSync(page, pageOf(demoComment()))
  const height = Number(/data-height="(\d+)"/.exec(browse(page, ['--dump-dom', `--window-size=${WIDTH},600`]))?.[1])
  mkdirSync(dirname(picture), { recursive: true })
  browse(page, [`--screenshot=${picture}`, '--force-device-scale-factor=2', `--window-size=${WIDTH},${height}`])
  start('pngquant', ['--force', '--ext', '.png', '128', picture])
  const { size } = statSync(picture)
  if (size > MOST_BYTES) throw new Error(`docs/comment.png is larger than ${MOST_BYTES / 1000} kB: ${size}`)
  console.log(`docs/comment.png: ${WIDTH}x${height} at 2x, ${Math.round(size / 1000)} kB`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The Markdown that `npm run demo` prints between its two reports. */
function demoComment() {
  const { stdout, stderr, status } = run(process.execPath, [join(root, 'dist', 'cli', 'index.js'), 'demo'])
  const comment = /The comment in the pull request:\n\n(.*)\n\nthe gate exits /s.exec(stdout)?.[1]
  if (status !== 0 || comment === undefined) throw new Error(`the demo did not show a comment\n${stderr}`)
  return comment
}

function pageOf(markdown) {
  const html = micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  const script = 'document.documentElement.dataset.height = Math.ceil(document.body.getBoundingClientRect().height)'
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><article>${withAlerts(html)}</article><script>${script}</script>`
}

/** GitHub's own extension, which Markdown renderers lack: a quote that starts with its kind. */
function withAlerts(html) {
  return html.replace(/<blockquote>\s*<p>\[!(\w+)\]\n/g, (_, kind) => {
    const title = kind[0] + kind.slice(1).toLowerCase()
    return `<blockquote class="${kind.toLowerCase()}"><p class="title">${title}</p><p>`
  })
}

function browse(page, options) {
  const profile = join(folder, 'profile')
  const fixed = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--user-data-dir=${profile}`]
  return start(chromium, [...fixed, ...options, pathToFileURL(page).href])
}

/** Standard output of a program that this machine may lack. */
function start(program, args) {
  const { stdout, stderr, status, error } = run(program, args)
  if (error?.code === 'ENOENT')
    throw new Error(`No picture: ${program} is not installed (apt-get install chromium pngquant)`, { cause: error })
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`)
  return stdout
}

function run(program, args) {
  return spawnSync(program, args, { cwd: root, encoding: 'utf8', timeout: 60_000, maxBuffer: 50_000_000 })
}
