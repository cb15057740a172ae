import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { CheckedRoot } from './config-part.ts';

type Source = NonNullable<CheckedRoot['root']['source']>;

/** Reports problems of the roots of kruise.yaml that the schema cannot express. */
export function rootProblems(roots: readonly CheckedRoot[], locate: Locate): Diagnostic[] {
  const names = new Set<string>();
  return roots.flatMap(({ root, index }) => {
    const { name, path, render, source } = root;
    const found: Diagnostic[] = [];
    const report = (field: string, problem: string): void => {
      const position = locate(['roots', String(index), ...field.split('.')], 'value');
      found.push(diagnostic('KR4034', { problem }, position));
    };
    if (names.has(name)) report('name', `two roots are named ${name}`);
    names.add(name);
    if (leavesFolder(path)) report('path', 'the path leads out of the folder of kruise.yaml');
    const outer = render === undefined && !leavesFolder(path) ? outerRoot(roots, { root, index }) : undefined;
    if (outer !== undefined)
      report(
        'path',
        `the root ${name} is inside of the root ${outer.name}: its manifests would be planned twice`,
      );
    if (render?.[0]?.trim() === '') report('render.0', 'the command is empty');
    if (source === undefined) return found;
    if (render !== undefined) report('source', `the root ${name} has both render and source`);
    if (source.render?.[0]?.trim() === '') report('source.render.0', 'the command is empty');
    if (leavesFolder(source.path)) report('source.path', 'the path leads out of the folder of kruise.yaml');
    else {
      const near = roots.find(({ root: each }) => meet(each, source, each === root));
      if (near !== undefined)
        report(
          'source.path',
          `the source of ${name} and the folder of the root ${near.root.name} are not apart: it would be planned as it is written`,
        );
    }
    return found;
  });
}

/** A root whose manifests include those of another one. Of two equal ones it is the first. */
function outerRoot(roots: readonly CheckedRoot[], inner: CheckedRoot): CheckedRoot['root'] | undefined {
  const at = normalPath(inner.root.path);
  return roots.find(({ root: { path, render }, index }) => {
    const outer = normalPath(path);
    const isOuter = outer === at ? index < inner.index : outer === '' || at.startsWith(`${outer}/`);
    // What a command prints says nothing of the files below its folder.
    return index !== inner.index && render === undefined && isOuter && !leavesFolder(path);
  })?.root;
}

/** Whether the folder of a root and a source share files: those of the source are planned or, of its own root, written over. */
function meet({ path, render }: CheckedRoot['root'], source: Source, isOwn: boolean): boolean {
  if (leavesFolder(path) || (render !== undefined && !isOwn)) return false;
  const [root, from] = [normalPath(path), normalPath(source.path)];
  const isWithin = (inner: string, outer: string): boolean =>
    outer === '' || inner === outer || inner.startsWith(`${outer}/`);
  // What a command prints says nothing of the files below its folder.
  return isWithin(from, root) || ((isOwn || source.render === undefined) && isWithin(root, from));
}

function normalPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

function leavesFolder(path: string): boolean {
  if (path.startsWith('/')) return true;
  let depth = 0;
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    depth += name === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}
