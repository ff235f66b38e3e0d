import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Packages whose source maps name files that they do not ship are no news.
  logLevel: 'error',
  test: {
    include: ['__tests__/**/*.test.ts'],
    globalSetup: '__tests__/support/global-setup.ts',
    // Child processes and loopback servers wait on a busy machine of two cores.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A process each: tests that change the environment or leave a timer cannot reach another file.
    pool: 'forks',
    // Most tests wait for servers and processes: on two cores, one worker alone would leave both idle.
    maxWorkers: '100%',
    // They import JSON in a way that Node refuses and Vite knows.
    server: { deps: { inline: [/@actions\/(?:languageservice|workflow-parser|expressions)/] } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The entries run as child processes only; what they do is in the functions they call.
      exclude: ['src/action.ts', 'src/cli.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 85 },
    },
  },
})
