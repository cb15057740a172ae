import { expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });

test('ignore of kruise.yaml leaves out the same at head, at base and elsewhere at base', async () => {
  const clone = repositoryWith({
    'apps/web.yaml': web('1.25'),
    'apps/chart/Chart.yaml': 'name: web\n',
    'apps/chart/templates/web.yaml': web('1.25'),
    // Outside of the planned paths: without ignore, the new workload would look moved.
    'drafts/api.yaml': cloneSet({ name: 'api' }),
  });
  clone.write({
    'apps/web.yaml': web('1.26'),
    'apps/api.yaml': cloneSet({ name: 'api' }),
    'kruise.yaml': 'ignore: [apps/chart, drafts, none/**]\n',
  });
  const ran = await clone.kruise(['plan'], 'apps');
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.err).not.toContain('KR4030');
  expect(ran.out).toContain('Plan: 1 to roll out, 1 to create.\n');
  const whole = await clone.kruise(['plan'], '.', { CI: 'true' });
  expect(whole.err).toContain(
    "warning[KR4030]: 'none/**' matches no file or folder\n  --> kruise.yaml:1:30\n",
  );
  clone.write({ 'kruise.yaml': 'ignore: [drafts]\n' });
  const refused = await clone.kruise(['plan'], 'apps');
  expect(refused.err).toContain('error[KR1028]: chart is a Helm chart');
  clone.write({ 'kruise.yaml': 'ignore: [apps/chart]\n' });
  const elsewhere = await clone.kruise(['plan'], 'apps');
  expect(elsewhere.err).toContain(
    'error[KR3017]: CloneSet shop/api looks new, but at base it is in main:drafts/api.yaml',
  );
  expect(elsewhere.err).toContain('help: ../drafts/api.yaml and api.yaml both have it: remove it from one;');
});
