import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kruise } from './world/manifests.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The first block of a language after a heading, without the indent of its list item. */
function block(language: string, containing: string): string {
  const blocks = [...readme.matchAll(/^( *)```(\w+)\n([^]*?)^\1```$/gm)];
  const found = blocks.find(([, , name, text = '']) => name === language && text.includes(containing));
  const [, indent = '', , text = ''] = found ?? [];
  return text.replace(new RegExp(`^${indent}`, 'gm'), '');
}

test('the example of README gives what README says', async () => {
  const manifest = block('yaml', 'kind: CloneSet\n');
  const session = block('console', 'git worktree add');
  const { host, code } = await kruise(
    {
      '/base/manifests/web.yaml': manifest,
      'manifests/web.yaml': manifest.replace('nginx:1.25-alpine', 'nginx:1.27-alpine'),
      'kruise.yaml': block('yaml', 'steps:'),
    },
    { words: ['plan', '--base-dir', '/base'] },
  );
  expect(code).toBe(0);
  expect(`${host.out}${host.err}`).toBe(session.split('\n').slice(2).join('\n'));
  const plan = String(host.files.get('/repo/plans/shop/cloneset-web/plan.yaml'));
  const digest = /digest: (.*)/.exec(plan)?.[1];
  expect(block('console', 'action: Approve')).toContain(`  digest: ${digest}\n`);
});
