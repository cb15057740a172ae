import { expect, test } from 'vitest';
import { importersOf, onServers } from '../importers.ts';

/** As code reads it. In parts: this file reads nothing. */
const READ = ['process.env[', 'KRUISE_E2E_KUBECONFIG', ']'].join("'");

const texts = new Map([
  ['e2e/server.ts', `const path = ${READ};`],
  ['e2e/suite.ts', "import { startServer } from './server.ts';"],
  ['deploy/policed.ts', `import type { Rest } from '../e2e/rest.ts';\n${READ};`],
  ['deploy/policies.test.ts', "import { police } from './policed.ts';"],
  ['deploy/words.test.ts', "import { words } from '../e2e/run.ts';"],
  ['e2e/get.test.ts', "import {\n  suite,\n  type Kubectl,\n} from './suite.ts';"],
  ['e2e/tls.test.ts', 'const said = `set KRUISE_E2E_KUBECONFIG`;'],
]);

test('a file reaches another server by whatever way it imports what reads its name', () => {
  expect([...onServers(texts)].filter((path) => path.endsWith('.test.ts')).sort()).toEqual([
    'deploy/policies.test.ts',
    'e2e/get.test.ts',
  ]);
});

test('files that nobody imports are their own importers alone, and circles end', () => {
  expect([...importersOf(texts, ['e2e/get.test.ts'])]).toEqual(['e2e/get.test.ts']);
  const circle = new Map([
    ['a.ts', "import './b.ts';\nexport * from './b.ts';"],
    ['b.ts', "export * from './a.ts';"],
  ]);
  expect([...importersOf(circle, ['a.ts'])]).toEqual(['a.ts', 'b.ts']);
});
