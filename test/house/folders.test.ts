import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { cyclicImports, folderImports, upwardImports } from './folders.ts';

const root = 'semantics';
const paths = trackedFiles().filter((path) => path.startsWith(`${root}/`) && path.endsWith('.ts'));
const imports = folderImports(root, paths, (path) => readFileSync(path, 'utf8'));

/** The folders in the table of layers of a page, from top to bottom. */
const layersOf = (page: string): string[] =>
  [...page.matchAll(/^\| `([\w.]+(?:\/\w+)*)\/?` *\|/gm)].map(([, folder = '']) => folder);

describe('the folders of semantics', () => {
  it('import one another in one direction', () => {
    expect(imports.length).toBeGreaterThan(300);
    expect(cyclicImports(imports)).toEqual([]);
  });

  it('are in the table of its page, each above all that it imports', () => {
    const layers = layersOf(readFileSync(`${root}/README.md`, 'utf8'));
    const folders = new Set(paths.map((path) => posix.relative(root, posix.dirname(path)) || '.'));
    expect([...layers].sort()).toEqual([...folders].sort());
    expect(upwardImports(imports, layers)).toEqual([]);
  });
});

describe('imports between folders (control)', () => {
  const texts: Record<string, string> = {
    'rules/plan/step.ts': "import type { Pod } from '../pod/types.ts';\nimport { one } from './one.ts';\n",
    'rules/plan/one.ts':
      "import {\n  one,\n} from '../../schemas/one.ts';\nimport { ids } from '../ids.ts';\n",
    'rules/pod/types.ts': "export type { Node } from '../node/node.ts';\n",
    'rules/node/node.ts': "export const plan = await import('../plan/one.ts');\n",
    'rules/kinds/kind.ts': "import type { Pod } from '../pod/types.ts';\n",
    'rules/ids.ts': 'export const ids = [];\n',
  };
  const found = folderImports('rules', Object.keys(texts), (path) => texts[path] ?? '');

  it('are found in every form, those of types too', () => {
    expect(found.map(({ files }) => files)).toEqual([
      'plan/step.ts -> pod/types.ts',
      'plan/one.ts -> ids.ts',
      'pod/types.ts -> node/node.ts',
      'node/node.ts -> plan/one.ts',
      'kinds/kind.ts -> pod/types.ts',
    ]);
  });

  it('are reported where they are part of a cycle, though no file is', () => {
    expect(cyclicImports(found)).toEqual([
      'node/node.ts -> plan/one.ts',
      'plan/step.ts -> pod/types.ts',
      'pod/types.ts -> node/node.ts',
    ]);
  });

  it('are reported where they lead up the layers, or out of them', () => {
    expect(upwardImports(found, ['kinds', 'plan', 'pod', 'node', '.'])).toEqual([
      'node/node.ts -> plan/one.ts',
    ]);
    expect(upwardImports(found, ['plan', 'pod', '.', 'node'])).toEqual([
      'kinds/kind.ts -> pod/types.ts',
      'node/node.ts -> plan/one.ts',
    ]);
  });
});
