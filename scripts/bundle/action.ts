import '../../src/action.ts'
