import ts from 'typescript';

/**
 * Arrays and objects in a source that list two or more kinds, as `path:line`: by their names, or by constants that begin with
 * their names. A list of names that Kubernetes has, too, is about Kubernetes.
 *
 * @param shared the names that Kubernetes has, too
 */
export function kindLists(
  path: string,
  text: string,
  kinds: readonly string[],
  shared: ReadonlySet<string>,
): string[] {
  // Few files name two kinds: the others need not be parsed.
  const lower = text.toLowerCase();
  if (kinds.filter((kind) => lower.includes(kind.toLowerCase())).length < 2) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const kindOf = (node: ts.Node): string | undefined => {
    if (ts.isStringLiteralLike(node)) return kinds.find((kind) => kind === node.text);
    if (ts.isPropertyAccessExpression(node)) return kindOf(node.expression);
    if (!ts.isIdentifier(node)) return undefined;
    const { text: name } = node;
    const constant = name.replace(/^[a-z]/, (first) => first.toUpperCase());
    return kinds.find((kind) => constant.startsWith(kind) && !/^[a-z]/.test(constant.slice(kind.length)));
  };
  const visit = (node: ts.Node): void => {
    const listed = ts.isArrayLiteralExpression(node)
      ? node.elements.map(kindOf)
      : ts.isObjectLiteralExpression(node)
        ? node.properties.map(({ name }) => name && kindOf(name))
        : [];
    const names = new Set(listed.filter((kind) => kind !== undefined));
    if (names.size > 1 && ![...names].every((kind) => shared.has(kind))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${path}:${String(line + 1)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
