import { expect, test } from 'vitest';
import { cloneSet, kruise } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from './clone.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';

function changed(files: Readonly<Record<string, string>>): Clone {
  const clone = repositoryWith({ 'web.yaml': cloneSet({ image: 'nginx:1.25' }) });
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.write(files);
  return clone;
}

const check = ['plan', '--check', '-o', 'markdown'];

test('a page about a failed check begins with why it failed, and what mends it', async () => {
  const clone = changed({ 'web.yaml': cloneSet({ image: 'nginx:1.26' }) });
  const { code, out } = await clone.kruise(check);
  expect(code).toBe(20);
  expect(out).toMatch(
    /^# The check failed\n\nThe committed plans are not those of this change \(exit code 20\)\.\n\n- error \*\*KR3018\*\*: /,
  );
  expect(out).toContain(`${PLAN} is missing: the template of CloneSet shop/web changes\n`);
  expect(out).toContain('\n  - help: run and commit: kruise plan\n');
  expect(out).toContain('\n\n# Plan: 1 to roll out');
});

test('so it does where the manifests have an error, at the line of it', async () => {
  const clone = changed({ 'web.yaml': cloneSet({ replicas: 'many' }) });
  const { code, out } = await clone.kruise(check);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^# The check failed\n\nThe check failed \(exit code 1\)\.\n\n- error \*\*KR20\d\d\*\* at `web.yaml:7:13`: /,
  );
  expect(out).not.toContain('# Plan');
});

test('of many problems those that fit are whole, and the others are counted', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `web-${'x'.repeat(40)}-${index}`);
  const manifests = (image: string): Record<string, string> =>
    Object.fromEntries(names.map((name) => [`${name}.yaml`, cloneSet({ name, image })]));
  const clone = repositoryWith(manifests('nginx:1.25'));
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.write(manifests('nginx:1.26'));
  const { code, out } = await clone.kruise(check);
  expect(code).toBe(20);
  const problems = out.slice(0, out.indexOf('# Plan'));
  expect(problems).toMatch(/\n- … and \d+ more problems; `-o json` lists all\n\n$/);
  // Each item has its message and its help.
  expect(problems.match(/^- error /gm)?.length).toBe(problems.match(/^  - help: /gm)?.length);
  expect(out.length).toBeLessThan(65_536);
});

test('a check that passes prints the changes alone', async () => {
  const clone = changed({ 'web.yaml': cloneSet({ image: 'nginx:1.26' }) });
  await clone.kruise(['plan']);
  clone.commit('planned');
  const { code, out } = await clone.kruise(check);
  expect([code, out.split('\n')[0]]).toEqual([0, '# Plan: 1 to roll out.']);
});

test('few changes whose forecasts do not fit into a comment are grouped, and a sentence says where the forecasts are', async () => {
  const batches = Array.from({ length: 24 }, (_, index) => `{ to: ${index + 1}% }`).join(', ');
  const state = (image: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `${image.replace(/.*:/, '') === '1' ? 'base' : 'head'}/web-${index}.yaml`,
        cloneSet({ name: `web-${index}`, image, replicas: 10 }),
      ]),
    );
  const config = `steps:\n  - match: {}\n    batches: [${batches}, { to: 100% }]\n    between: { soak: 1m }\n`;
  const files = {
    ...state('nginx:1'),
    ...state('nginx:2'),
    'base/kruise.yaml': config,
    'head/kruise.yaml': config,
  };
  const { host, code } = await kruise(files, {
    args: ['plan', 'head', '--base-dir', 'base', '-o', 'markdown'],
  });
  expect([code, host.err.includes('error')]).toEqual([0, false]);
  expect(host.out.length).toBeLessThan(65_536);
  expect(host.out).toContain('**20 CloneSets**: updated in place');
  expect(host.out).toMatch(
    /\nThe forecasts together are longer than a comment: each is in the `forecast.md` beside its plan.\n$/,
  );
});
