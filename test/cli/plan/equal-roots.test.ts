import { expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from '../git/clone.ts';

const ROOTS = ['prod', 'staging', 'test'];
const APPS = Array.from({ length: 8 }, (_, index) => `app-${index}`);

/** Roots with the same workloads. */
function manyRoots(): Clone {
  return repositoryWith({
    'kruise.yaml': `roots:\n${ROOTS.map((name) => `- {name: ${name}, path: apps/${name}}\n`).join('')}`,
    ...files('1.25'),
  });
}

function files(tag: string): Record<string, string> {
  return Object.fromEntries(
    ROOTS.flatMap((root) =>
      APPS.map((name) => [`apps/${root}/${name}.yaml`, cloneSet({ name, image: `nginx:${tag}` })]),
    ),
  );
}

test('what is alike in several roots is one group on the terminal and on a page', async () => {
  const clone = manyRoots();
  const others = {
    'apps/prod/app-7.yaml': cloneSet({ name: 'app-7', image: 'nginx:1.25', replicas: 0 }),
    'apps/test/app-0.yaml': undefined,
  };
  clone.write({ ...files('1.26'), ...others });
  const ran = await clone.kruise(['plan']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out.match(/nginx:1\.25 → nginx:1\.26/g)).toHaveLength(1);
  expect(ran.out).toMatch(/^ {2}- CloneSet shop\/app-0: [^\n]*root test/);
  expect(ran.out).toMatch(/ {2}~ 22 CloneSets: updated in place, [^\n]*roots prod, staging, test/);
  // A name that several roots have stands once.
  expect(ran.out).toContain('shop/app-0 to shop/app-7\n');
  expect(ran.out).toMatch(/\nPlan: 22 to roll out, [^\n]*\.\n$/);
  expect(ran.err).toContain('wrote plans/prod/');

  const page = await clone.kruise(['plan', '-o', 'markdown']);
  expect(page.out.match(/nginx:1\.25 → nginx:1\.26/g)).toHaveLength(1);
  expect(page.out).toMatch(/^# Plan: 22 to roll out/);
  expect(page.out).toMatch(/- `~` \*\*22 CloneSets\*\*: [^\n]*roots prod, staging, test/);
  expect(page.out.match(/<code>shop\/app-3<\/code>/g)).toHaveLength(1);
});

test('a page of a check begins with the roots whose check failed', async () => {
  const clone = manyRoots();
  clone.write(files('1.26'));
  await clone.kruise(['plan']);
  clone.commit('planned', { 'plans/staging/shop/cloneset-app-3/plan.yaml': undefined });
  const page = await clone.kruise(['plan', '--check', '-o', 'markdown', '--base', 'HEAD~1']);
  expect(page).toMatchObject({ code: 20 });
  expect(page.out).toMatch(/^# staging\n\n## The check failed\n/);
  expect(page.out.match(/^# Plan: 24 to roll out/gm)).toHaveLength(1);
});

test('few changes of several roots are shown one by one', async () => {
  const clone = manyRoots();
  clone.write({
    'apps/prod/app-0.yaml': cloneSet({ name: 'app-0', image: 'nginx:1.26' }),
    'apps/staging/app-0.yaml': cloneSet({ name: 'app-0', image: 'nginx:1.26' }),
  });
  const { out } = await clone.kruise(['plan']);
  expect(out).toMatch(/^prod \(apps\/prod\)\n[^]*\nstaging \(apps\/staging\)\n/);
});
