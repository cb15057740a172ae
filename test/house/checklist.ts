import ts from 'typescript';
import { MISSING, SECTIONS } from './checklist-items.ts';

/** A test, a group of tests or a row of a table whose title names items. */
export interface Named {
  file: string;
  title: string;
  items: string[];
}

const ITEM = new RegExp(String.raw`\b(?:${SECTIONS.map(({ id }) => id).join('|')})-[0-9]+\b`, 'g');

/** The titles in a test file that name items of the checklist. Comments do not count. */
export function namedIn(file: string, source: string): Named[] {
  if (source.search(ITEM) < 0) return [];
  const found: Named[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const title = ts.isStringLiteralLike(node) ? node.text : node.getText().slice(1, -1);
      const items = [...new Set(title.match(ITEM))];
      if (items.length > 0) found.push({ file, title: title.replaceAll(/\s+/g, ' ').trim(), items });
      return;
    }
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return found;
}

/** The mistakes: items without a test that are not listed as missing, and titles that name unknown items. */
export function faultsOf(named: readonly Named[]): string[] {
  const known = SECTIONS.flatMap(({ id, items }) => Object.keys(items).map((n) => `${id}-${n}`));
  const tested = new Set(named.flatMap(({ items }) => items));
  return [
    ...known
      .filter((item) => !tested.has(item) && MISSING[item] === undefined)
      .map((item) => `${item} has no test`),
    ...Object.keys(MISSING)
      .filter((item) => !known.includes(item))
      .map((item) => `${item} is left, but is no item`),
    ...named.flatMap(({ file, title, items }) =>
      items
        .filter((item) => !known.includes(item))
        .map((item) => `${file} names ${item}, which is no item: ${title}`),
    ),
  ];
}

/** The document for readers: each item with the location of its tests. */
export function checklist(named: readonly Named[]): string {
  const lines = [
    '# What is tested, item by item',
    '',
    "_Reference._ What OpenKruise 1.9 does with CloneSets, StatefulSets, DaemonSets, BroadcastJobs, AdvancedCronJobs, SidecarSets, PodUnavailableBudgets, WorkloadSpreads, ContainerRecreateRequests, ImagePullJobs, ImageListPullJobs, NodeImages and UnitedDeployments, in place, and against deletion, as a list of items, and the tests that name them. A test that names an item fails when its rule is turned round. `differences.md` says where an item's rule is another one here. `UPDATE_GOLDEN=1 npx vitest run test/house/checklist.test.ts` writes this list anew, from the titles of the tests.",
  ];
  for (const { id, title, items } of SECTIONS) {
    lines.push('', `## ${title}`, '');
    for (const [n, sentence] of Object.entries(items)) {
      const item = `${id}-${n}`;
      const missing = MISSING[item] === undefined ? '' : ` _(comes with: ${MISSING[item]})_`;
      lines.push(`- **${item}** ${sentence}${missing}`);
      for (const { file, title: test } of named.filter((one) => one.items.includes(item)))
        lines.push(`  - \`${file.replace(/^test\//, '').replace(/\.ts$/, '')}\`: ${escaped(test)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\*_`<>[\]]/g, String.raw`\$&`);
}
