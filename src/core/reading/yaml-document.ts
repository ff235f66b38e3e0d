import { readYamlText, type YamlText } from '../../lib/yaml-text.ts'
import type { Findings } from './findings.ts'

/** The one value that a YAML file holds, and where its fields stand. */
export type YamlDocument = YamlText

/** Never throws for what the text says: everything wrong goes to `findings`. */
export function readDocument(text: string, findings: Findings): YamlDocument | undefined {
  return readYamlText(text, ({ line, message, hint }) => findings.at(line).problem('', message, hint))
}
