import ts from 'typescript';

/**
 * The Maps and Sets of a module that begin empty, `line: name`: each is memory that outlives a call, and nothing says how much.
 * Those that are filled when they are made are tables, and weak ones keep nothing.
 */
export function emptyModuleMaps(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023);
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations
      .filter(({ initializer }) => initializer !== undefined && isEmptyMap(initializer))
      .filter(({ type }) => type === undefined || !/^Readonly(Set|Map)\b/.test(type.getText(source)))
      .map(({ name }) => {
        const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
        return `${line + 1}: ${name.getText(source)}`;
      }),
  );
}

function isEmptyMap(node: ts.Expression): boolean {
  return (
    ts.isNewExpression(node) &&
    ts.isIdentifier(node.expression) &&
    ['Map', 'Set'].includes(node.expression.text) &&
    (node.arguments?.length ?? 0) === 0
  );
}
