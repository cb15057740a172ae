import ts from 'typescript';

const isReason = (text: string): boolean => /^[A-Z][a-z]+([A-Z][a-z]+)*$/.test(text);

/**
 * The reasons that a source file uses: string literals of a property `reason`, and values of an object `reasons`. `all`:
 * every literal in the form of a reason.
 */
export function reasonsIn(source: string): { used: string[]; all: string[] } {
  const used = new Set<string>();
  const all = new Set<string>();
  const visit = (node: ts.Node, isUsed: boolean): void => {
    if (ts.isStringLiteralLike(node) && isReason(node.text)) {
      all.add(node.text);
      if (isUsed) used.add(node.text);
    }
    // Types list possible reasons, and comparisons use reasons set elsewhere.
    if (ts.isTypeNode(node) || ts.isBinaryExpression(node)) {
      const isFallback = ts.isBinaryExpression(node) && node.operatorToken.getText() === '??';
      node.forEachChild((child) => visit(child, isUsed && isFallback));
      return;
    }
    const named = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
    const isOwn = named && /^reasons?$/.test(node.name.getText());
    node.forEachChild((child) => visit(child, isUsed || isOwn));
  };
  visit(ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true), false);
  return { used: [...used], all: [...all] };
}

/** The reasons or Events in the first column of the tables of a page whose head is `head`. */
export function documentedIn(page: string, head: string): string[] {
  const found: string[] = [];
  let isInside = false;
  for (const line of page.split('\n')) {
    const [, first = ''] = /^\| ([^|]*?) *\|/.exec(line) ?? [];
    if (!line.startsWith('|')) isInside = false;
    else if (first === head) isInside = true;
    else if (isInside) for (const [, name = ''] of first.matchAll(/`(\w+)`/g)) found.push(name);
  }
  return [...new Set(found)];
}
