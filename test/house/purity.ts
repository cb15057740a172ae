import ts from 'typescript';

/** What a source file may not use, and the `node:` modules that it may import. */
export interface PurityRule {
  globals: readonly string[];
  /** `Object.member` pairs; `new Date()` stands for the constructor without arguments. */
  members: readonly string[];
  nodeModules: readonly string[];
}

/** The environment: time, randomness, input and output, and everything that depends on where the program runs. */
const clockAndChance = ['setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto'];
const outside = [
  'process',
  'console',
  'fetch',
  'globalThis',
  'global',
  'Intl',
  'queueMicrotask',
  'WebSocket',
];
const members = [
  'Date.now',
  'new Date()',
  'Date()',
  'Math.random',
  '.localeCompare',
  '.toLocaleString',
  '.toLocaleLowerCase',
];

export const semanticsRule: PurityRule = {
  globals: [...clockAndChance, ...outside],
  members,
  nodeModules: ['node:crypto'],
};

export const compilerRule: PurityRule = { ...semanticsRule, nodeModules: [] };

/** The sandbox serves sockets and uses timers, but only its clock folder reads the time of the host, and nothing is random. */
export const sandboxRule: PurityRule = {
  globals: clockAndChance,
  members: ['Date.now', 'new Date()', 'Date()', 'Math.random'],
  nodeModules: [
    'node:http',
    'node:https',
    'node:net',
    'node:events',
    'node:crypto',
    'node:url',
    'node:zlib',
    'node:stream',
  ],
};

/** Everything impure in one file: `line: what`, in order of appearance. */
export function impurities(file: string, text: string, rule: PurityRule): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: string[] = [];
  const report = (node: ts.Node, what: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${String(line + 1)}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    const imported = importedModule(node);
    if (imported?.startsWith('node:') === true && !rule.nodeModules.includes(imported))
      report(node, imported);
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && isValue(node) && rule.globals.includes(node.text)) report(node, node.text);
    const member = memberOf(node);
    if (member !== undefined && rule.members.includes(member)) report(node, member);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function importedModule(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
    return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : undefined;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [specifier] = node.arguments;
    return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : undefined;
  }
  return undefined;
}

/** Whether an identifier is read as a variable, and is not the name of a property, a declaration or a label. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return !('name' in parent && parent.name === node) && !ts.isBindingElement(parent);
}

function memberOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.name.text;
    if (['localeCompare', 'toLocaleString', 'toLocaleLowerCase'].includes(name)) return `.${name}`;
    return ts.isIdentifier(node.expression) ? `${node.expression.text}.${name}` : undefined;
  }
  if (ts.isNewExpression(node) && isDate(node.expression)) {
    return (node.arguments?.length ?? 0) === 0 ? 'new Date()' : undefined;
  }
  if (ts.isCallExpression(node) && isDate(node.expression)) return 'Date()';
  return undefined;
}

function isDate(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === 'Date';
}
