import ts from 'typescript';

/** Terms that were replaced by those of the field: the lower-case words of an identifier or a file name. */
export const replacedTerms: readonly string[] = [
  ...['look', 'looks', 'looked', 'pass', 'passes', 'examine', 'tell', 'tells', 'told', 'say', 'says', 'said'],
  ...[
    'saying',
    'hear',
    'heard',
    'talk',
    'news',
    'around',
    'surroundings',
    'portion',
    'leave',
    'kept',
    'seen',
  ],
  ...['unseen', 'sight', 'own writes', 'behind', 'moved on', 'turn', 'turns', 'ticker', 'in force', 'stray'],
  ...[
    'strays',
    'because',
    'put off',
    'place',
    'places',
    'books',
    'condemn',
    'sweep',
    'spare',
    'would',
    'beside',
  ],
  ...['others', 'give way', 'giving way', 'room', 'half', 'scene', 'walk', 'ripen'],
];

/**
 * The replaced terms in an identifier (`seenOf`, `PASS_MS`) or a path (`act/moved-on`). "In place" is a term of
 * OpenKruise, and counts as none.
 */
export function replacedTermsIn(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const words = ` ${spaced.split(/[^a-z0-9]+/).join(' ')} `.replaceAll(' in place ', ' ');
  return replacedTerms.filter((term) => words.includes(` ${term} `));
}

/** What a module exports by name, and the members of its exported interfaces, types and classes as `Type.member`. */
export function exportedNames(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!isExported(statement)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText(source));
    const name = nameOf(statement);
    return name === undefined
      ? []
      : [name, ...membersIn(statement, source).map((member) => `${name}.${member}`)];
  });
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function nameOf(statement: ts.Statement): string | undefined {
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement);
  return isNamed ? statement.name?.text : undefined;
}

function membersIn(statement: ts.Statement, source: ts.SourceFile): string[] {
  if (ts.isFunctionDeclaration(statement)) return [];
  const members: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertySignature(node) ||
      ts.isMethodSignature(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isMethodDeclaration(node)
    )
      members.push(node.name.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return members;
}
