import ts from 'typescript'

export interface Import {
  readonly specifier: string
  /** `type` disappears in the bundle, `lazy` is `await import()`. */
  readonly kind: 'static' | 'lazy' | 'type'
  /** 1-based. */
  readonly line: number
}

export interface ParsedModule {
  readonly imports: readonly Import[]
  /** Uses of clock, randomness, process and network as globals. */
  readonly worldUses: readonly { readonly name: string; readonly line: number }[]
  /** Names of the kinds, formats and verbs that the file defines for a registry. */
  readonly kinds: readonly string[]
}

const WORLD = new Set(['process', 'console', 'fetch', 'globalThis'])
const WORLD_METHODS = new Set(['Date.now', 'Math.random', 'performance.now'])
const REGISTERED_TYPES = new Set(['SuiteFormat', 'Command'])

/** What the architecture looks at in one TypeScript file. */
export function parseModule(path: string, text: string): ParsedModule {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const imports: Import[] = []
  const worldUses: { name: string; line: number }[] = []
  const kinds: string[] = []
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1

  const visit = (node: ts.Node): void => {
    const found = importOf(node)
    if (found) imports.push({ ...found, line: lineOf(node) })
    const world = worldUseOf(node, source)
    if (world !== undefined) worldUses.push({ name: world, line: lineOf(node) })
    const kind = kindOf(node)
    if (kind !== undefined) kinds.push(kind)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { imports, worldUses, kinds }
}

function importOf(node: ts.Node): Omit<Import, 'line'> | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const isType =
      node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword || namesOnlyTypes(node.importClause?.namedBindings)
    return { specifier: node.moduleSpecifier.text, kind: isType ? 'type' : 'static' }
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, kind: node.isTypeOnly ? 'type' : 'static' }
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, kind: 'type' }
  }
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return undefined
  const [argument] = node.arguments
  return argument && ts.isStringLiteralLike(argument) ? { specifier: argument.text, kind: 'lazy' } : undefined
}

function namesOnlyTypes(bindings: ts.NamedImportBindings | undefined): boolean {
  if (!bindings || !ts.isNamedImports(bindings)) return false
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly)
}

function worldUseOf(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText(source)
    return WORLD_METHODS.has(name) ? name : undefined
  }
  if (ts.isNewExpression(node)) {
    const isClock = node.expression.getText(source) === 'Date' && (node.arguments ?? []).length === 0
    return isClock ? 'new Date()' : undefined
  }
  if (!ts.isIdentifier(node) || !WORLD.has(node.text)) return undefined
  return isGlobalUse(node, source) ? node.text : undefined
}

/** A property, a type member or a local variable may well be called `process` or `fetch`. */
function isGlobalUse(node: ts.Identifier, source: ts.SourceFile): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isQualifiedName(parent) || ts.isTypeQueryNode(parent)) return false
  const isName = 'name' in parent && parent.name === node
  if (isName && !ts.isShorthandPropertyAssignment(parent)) return false
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node
  if (ts.isBindingElement(parent) && parent.propertyName === node) return false
  return !declares(source, node.text)
}

function declares(source: ts.SourceFile, name: string): boolean {
  let isDeclared = false
  const visit = (node: ts.Node): void => {
    const declaration =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isBindingElement(node) ||
      ts.isImportSpecifier(node)
    if (declaration && node.name && ts.isIdentifier(node.name) && node.name.text === name) isDeclared = true
    ts.forEachChild(node, visit)
  }
  visit(source)
  return isDeclared
}

/** `export const x = defineThing(…)` or `export const x: SuiteFormat = …`. */
function kindOf(node: ts.Node): string | undefined {
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return undefined
  const statement = node.parent.parent
  const isExported =
    ts.isVariableStatement(statement) &&
    statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true
  if (!isExported) return undefined
  const isTyped =
    node.type !== undefined && ts.isTypeReferenceNode(node.type) && REGISTERED_TYPES.has(node.type.typeName.getText())
  const isDefined =
    node.initializer !== undefined &&
    ts.isCallExpression(node.initializer) &&
    ts.isIdentifier(node.initializer.expression) &&
    /^define[A-Z]/.test(node.initializer.expression.text)
  return isTyped || isDefined ? node.name.text : undefined
}
