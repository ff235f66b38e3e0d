// Loaded into every contender with --import: leaves the whole process's figures behind, whoever ends it.
import { writeFileSync } from 'node:fs'

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ cpuUs: userCPUTime + systemCPUTime, rssKb: maxRSS }))
})
