import type { Config } from '../config/config.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'

/** Variables that the workflow says the tests need: an agent that is a program of its own asks for them only later. */
export function requiredEnvProblems(config: Pick<Config, 'required-env'>, { env }: Pick<Host, 'env'>): Problem[] {
  return config['required-env'].flatMap((name): Problem[] => {
    const value = env[name]
    if (value !== undefined && value.trim() !== '') return []
    return [
      {
        field: '--required-env',
        message: `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`,
        hint: `pass it with env, such as ${name}: \${{ secrets.${name} }}, and check that the secret exists`,
        unset: name,
      },
    ]
  })
}
