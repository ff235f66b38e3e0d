import type { GitHubClient } from '../github/index.ts'

/** Calls of GitHub's API that one lookup may take, its downloads included: the token has a thousand an hour for all. */
const MOST_CALLS = 10

/** A client, and how many of its calls are left. */
export interface CountedClient {
  readonly client: GitHubClient
  left(): number
}

export function countCalls(client: GitHubClient): CountedClient {
  let used = 0
  return {
    client: {
      ...client,
      ask(attempt, call) {
        used += 1
        return client.ask(attempt, call)
      },
    },
    left: () => MOST_CALLS - used,
  }
}
