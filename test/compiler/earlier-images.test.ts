import { expect, test } from 'vitest';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { toYaml } from '../../compiler/render/yaml.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import * as fc from '../property.ts';
import { type Files, committed, forecastIn, manifest, planIn, planned, v1 } from './world/history.ts';
import { cloneSet, kruise } from './world/manifests.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';

/** The images of each entry, newest first. */
const imagesOf = (files: Files): (readonly string[] | undefined)[] =>
  planIn(files).spec.from.map(({ images }) => images);

/** The files after each of these images was planned on top of the one before. */
async function after(...tags: string[]): Promise<Files> {
  let files: Files = manifest(v1);
  for (const image of tags) files = await committed(files, { image });
  return files;
}

test('earlier entries name the images that their pods run; the fields of the first one show its own', async () => {
  const files = await after('nginx:2', 'nginx:3', 'nginx:4');
  expect(imagesOf(files)).toEqual([undefined, ['nginx:2'], ['nginx:1']]);
  const plan = planIn(files);
  expect(validateRolloutPlan(plan)).toEqual([]);
  expect(plan.spec.digest).toBe(planDigest(plan.spec));
});

test('each output names the images that pods may still run', async () => {
  const three = await after('nginx:2', 'nginx:3');
  const run = async (...args: string[]): Promise<string> => {
    const { host } = await planned(three, { ...three, ...manifest({ image: 'nginx:4' }) }, args);
    return host.out;
  };
  const files = await after('nginx:2', 'nginx:3', 'nginx:4');
  expect(forecastIn(files)).toMatch(
    /From earlier changes, pods may still run nginx:2 \(h1:\w{8}\) or nginx:1 \(h1:\w{8}\)\./,
  );
  for (const output of ['human', 'markdown', 'html'])
    expect(await run('-o', output)).toMatch(/From earlier changes, pods may still run nginx:2 \(h1:/);
  const json = JSON.parse(await run('-o', 'json')) as { changes: { plan: RolloutPlan }[] };
  expect(json.changes[0]?.plan.spec.from.map(({ images }) => images)).toEqual([
    undefined,
    ['nginx:2'],
    ['nginx:1'],
  ]);
  const { host } = await kruise(files, { args: ['explain', 'CloneSet/web'] });
  expect(host.out).toMatch(/Pods on h1:[0-9a-f]{32}, which run nginx:2, may be updated in place\./);
});

test('a change that was taken back without a plan stands with its images, too', async () => {
  const taken = { ...(await after('nginx:2')), ...manifest(v1) };
  const { files } = await planned(taken, { ...taken, ...manifest({ image: 'nginx:3' }) });
  expect(planIn(files).spec.from).toMatchObject([
    { mode: 'InPlace', fields: [{ from: 'nginx:1', to: 'nginx:3' }] },
    { depart: true, images: ['nginx:2'] },
  ]);
});

test('nothing is said where no pod changes, or where the images are those of the manifest', async () => {
  const two = await after('nginx:2');
  const labeled = (await planned(two, { ...two, ...manifest({ image: 'nginx:1' }) })).files;
  expect(forecastIn(labeled)).not.toContain('may still run');
  const held = manifest({ image: 'nginx:3', spec: '    partition: 100%' });
  expect(forecastIn((await planned(two, { ...two, ...held })).files)).not.toContain('may still run');
});

test('the same change of many targets stays one group, whatever images their pods may still run', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `app-${index + 1}`);
  const all = (image: (name: string) => string): Files => ({
    'web.yaml': names.map((name) => cloneSet({ name, image: image(name) })).join('---\n'),
  });
  const first = await planned(
    all((name) => `${name}:1`),
    all(() => 'nginx:2'),
  );
  const { host } = await planned(first.files, { ...first.files, ...all(() => 'nginx:3') });
  expect(host.out).toContain('25 CloneSets');
  expect(host.out).toContain('pods may still run images of earlier changes');
});

test('a plan of an older kruise, which names no images, passes a check with a warning; another image does not', async () => {
  const three = await after('nginx:2', 'nginx:3');
  const head = await after('nginx:2', 'nginx:3', 'nginx:4');
  const withImages = (images: (of: readonly string[]) => string[] | undefined): Files => {
    const plan = planIn(head);
    const from = plan.spec.from.map((entry) => ({ ...entry, images: entry.images && images(entry.images) }));
    const spec = JSON.parse(JSON.stringify({ ...plan.spec, from })) as RolloutPlan['spec'];
    const sealed = { ...plan, spec: { ...spec, digest: planDigest(spec) } };
    return { ...head, [PLAN]: toYaml(sealed as unknown as JsonObject) };
  };
  const check = async (files: Files): Promise<{ code: number; err: string }> => {
    const { code, host } = await planned(three, files, ['--check']);
    return { code, err: host.err };
  };
  expect(await check(head)).toMatchObject({ code: 0 });
  const older = withImages(() => undefined);
  expect(await check(older)).toEqual({ code: 0, err: expect.stringContaining('warning[KR3028]') });
  expect((await planned(three, older)).files).toEqual(head);
  expect(await check(withImages(() => ['nginx:9']))).toMatchObject({ code: 20 });
});

/** Containers of a template, by name. */
type Containers = Record<string, string>;

const sidecars = (containers: Containers): string =>
  Object.entries(containers)
    .map(([name, image]) => `      - name: ${name}\n        image: ${image}`)
    .join('\n');

test('whatever containers come, go, change and are reordered: each entry has the images of its revision, or none', async () => {
  const image = fc.constantFrom('a:1', 'a:2', 'b:1', 'registry.example.com:5000/c:1');
  const template = fc.dictionary(fc.constantFrom('web', 'proxy', 'log'), image, { minKeys: 1 });
  const history = fc.array(fc.tuple(template, fc.boolean()), { minLength: 3, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(history, async (states) => {
      const imagesBy = new Map<string, readonly string[]>();
      let files: Files | undefined;
      let before: readonly string[] | undefined;
      for (const [containers, isTurned] of states) {
        const entries = Object.entries(containers);
        const own = Object.fromEntries(isTurned ? entries.toReversed() : entries);
        const text = cloneSet({}).replace(/ {6}- name: nginx\n {8}image: .*/, sidecars(own));
        const next = { ...files, 'web.yaml': text };
        if (files !== undefined) {
          ({ files } = await planned(files, next));
          if (files[PLAN] !== undefined) {
            const { to, from } = planIn(files).spec;
            imagesBy.set(to.hash, [...new Set(Object.values(own))]);
            const [first] = from;
            if (first !== undefined && before !== undefined && !imagesBy.has(first.hash))
              imagesBy.set(first.hash, before);
            for (const { hash, images } of from.slice(1)) expect(images).toEqual(imagesBy.get(hash));
          }
        } else files = next;
        before = [...new Set(Object.values(own))];
      }
    }),
    { numRuns: 10 },
  );
});
