import { readFile, writeFile } from 'node:fs/promises'
import { argv, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'

// Cuts the operations that agent-test uses out of GitHub's description of its REST API, for the GitHub of our tests.
//   npm pack @octokit/openapi@23.0.2     (385 MB unpacked, so it is no dependency)
//   tar -xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
//   node scripts/openapi-subset.mjs package/generated/api.github.com.json

const REPO = '/repos/{owner}/{repo}'

const OPERATIONS = [
  `GET ${REPO}`,
  'GET /rate_limit',
  'GET /user',
  `GET ${REPO}/issues/{issue_number}/comments`,
  `POST ${REPO}/issues/{issue_number}/comments`,
  `GET ${REPO}/issues/comments/{comment_id}`,
  `PATCH ${REPO}/issues/comments/{comment_id}`,
  `DELETE ${REPO}/issues/comments/{comment_id}`,
  `GET ${REPO}/issues/comments/{comment_id}/reactions`,
  `POST ${REPO}/issues/comments/{comment_id}/reactions`,
  `DELETE ${REPO}/issues/comments/{comment_id}/reactions/{reaction_id}`,
  `GET ${REPO}/issues/{issue_number}/labels`,
  `POST ${REPO}/issues/{issue_number}/labels`,
  `DELETE ${REPO}/issues/{issue_number}/labels/{name}`,
  `GET ${REPO}/collaborators/{username}/permission`,
  `POST ${REPO}/check-runs`,
  `GET ${REPO}/check-runs/{check_run_id}`,
  `PATCH ${REPO}/check-runs/{check_run_id}`,
  `GET ${REPO}/check-runs/{check_run_id}/annotations`,
  `GET ${REPO}/commits/{ref}/check-runs`,
  `GET ${REPO}/commits/{ref}/check-suites`,
  `GET ${REPO}/pulls`,
  `GET ${REPO}/pulls/{pull_number}`,
  `GET ${REPO}/pulls/{pull_number}/files`,
  `GET ${REPO}/pulls/{pull_number}/commits`,
  `GET ${REPO}/commits`,
  `GET ${REPO}/commits/{ref}`,
  `GET ${REPO}/commits/{commit_sha}/pulls`,
  `GET ${REPO}/compare/{basehead}`,
  `POST ${REPO}/statuses/{sha}`,
  `GET ${REPO}/commits/{ref}/status`,
  `GET ${REPO}/commits/{ref}/statuses`,
  `GET ${REPO}/actions/artifacts`,
  `GET ${REPO}/actions/artifacts/{artifact_id}`,
  `DELETE ${REPO}/actions/artifacts/{artifact_id}`,
  `GET ${REPO}/actions/artifacts/{artifact_id}/{archive_format}`,
  `GET ${REPO}/actions/runs`,
  `GET ${REPO}/actions/runs/{run_id}`,
  `GET ${REPO}/actions/runs/{run_id}/artifacts`,
  `GET ${REPO}/actions/runs/{run_id}/attempts/{attempt_number}`,
  `GET ${REPO}/actions/runs/{run_id}/jobs`,
  `POST ${REPO}/actions/runs/{run_id}/rerun`,
  `POST ${REPO}/actions/runs/{run_id}/rerun-failed-jobs`,
  `GET ${REPO}/actions/workflows`,
  `GET ${REPO}/actions/workflows/{workflow_id}`,
  `GET ${REPO}/actions/workflows/{workflow_id}/runs`,
  `POST ${REPO}/actions/workflows/{workflow_id}/dispatches`,
  `GET ${REPO}/contents/{path}`,
]

/** For readers, not for validation. */
const PROSE = new Set([
  'summary',
  'description',
  'tags',
  'externalDocs',
  'example',
  'examples',
  'x-github',
  'x-octokit',
])
/** Their members have names of their own, which may be those of keywords. */
const NAMED = new Set(['properties', 'headers', 'content', 'responses', 'mapping'])

function withoutProse(value) {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !PROSE.has(key))
      .map(([key, member]) => [
        key,
        NAMED.has(key) && isRecord(member) ? membersWithoutProse(member) : withoutProse(member),
      ]),
  )
}

function membersWithoutProse(record) {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, withoutProse(member)]))
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function operationsOf(full) {
  const paths = {}
  for (const line of OPERATIONS) {
    const [method, path] = line.split(' ')
    const operation = full.paths[path]?.[method.toLowerCase()]
    if (!operation) throw new Error(`the description has no ${line}`)
    const { responses, ...rest } = withoutProse(operation)
    // OpenAPI requires a response to be described.
    const described = Object.entries(responses).map(([status, response]) => {
      return [status, '$ref' in response ? response : { ...response, description: '' }]
    })
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...rest, responses: Object.fromEntries(described) } }
  }
  return paths
}

/** Whatever `paths` refer to, and what that refers to. */
function componentsOf(full, paths) {
  const components = {}
  const follow = (value) => {
    if (Array.isArray(value)) return value.forEach(follow)
    if (!isRecord(value)) return
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' || typeof member === 'string') take(member)
      else follow(member)
    }
  }
  const take = (reference) => {
    const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(reference) ?? []
    if (kind === undefined || components[kind]?.[name] !== undefined) return
    const found = full.components[kind]?.[name]
    if (!found) throw new Error(`the description has no ${reference}`)
    const component = withoutProse(found)
    components[kind] = {
      ...components[kind],
      [name]: kind === 'responses' ? { ...component, description: '' } : component,
    }
    follow(component)
  }
  follow(paths)
  return components
}

const [source] = argv.slice(2)
if (source === undefined) throw new Error('name the file api.github.com.json of @octokit/openapi')
const full = JSON.parse(await readFile(source, 'utf8'))
const { description: _prose, ...info } = full.info
const paths = operationsOf(full)
const subset = { openapi: full.openapi, info, servers: full.servers, paths, components: componentsOf(full, paths) }
const target = fileURLToPath(new URL('../__tests__/fixtures/github-openapi-subset.json', import.meta.url))
await writeFile(target, `${JSON.stringify(subset, null, 1)}\n`)
stdout.write(`${OPERATIONS.length} operations, ${Object.keys(subset.components.schemas).length} schemas\n`)
