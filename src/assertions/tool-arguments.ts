import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { ToolCall } from './tool-name.ts'

/** A call's arguments by their names; some targets hand them on as the model wrote them: JSON text. */
export function argumentsOf({ parameters }: Pick<ToolCall, 'parameters'>): JsonObject | undefined {
  if (typeof parameters !== 'string') return isJsonObject(parameters) ? parameters : undefined
  try {
    const parsed: unknown = JSON.parse(parameters)
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
