import '../../src/cli.ts'
