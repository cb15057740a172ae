import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { planned } from './world/history.ts';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';

const TARGET: JsonObject = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };

/** A WorkloadSpread of the CloneSet `web` with these caps; null: without one. */
const spread = (caps: Readonly<Record<string, number | string | null>>, spec: JsonObject = {}): string =>
  stringify({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      targetRef: TARGET,
      subsets: Object.entries(caps).map(([name, maxReplicas]) => ({
        name,
        ...(maxReplicas !== null && { maxReplicas }),
      })),
      ...spec,
    },
  });

/** What `kruise plan` says of it, without indentation. */
async function told(before: string | undefined, after: string, replicas = 6): Promise<string[]> {
  const web = { 'web.yaml': cloneSet({ replicas }) };
  const base = before === undefined ? web : { ...web, 'spread.yaml': before };
  const { host } = await planned(base, { ...web, 'spread.yaml': after });
  const lines = host.out.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line.includes('WorkloadSpread'));
  return lines.slice(first, first + 3);
}

test('a plan shows the places of a new WorkloadSpread for the committed replicas', async () => {
  expect(await told(undefined, spread({ a: 2, b: null }))).toEqual([
    '+ WorkloadSpread shop/web: new; reconciled at once, needs no plan',
    'Of 6 pods of CloneSet web, in this order: a: at most 2, b: all that come.',
    'Running pods do not move.',
  ]);
});

test('percentages are of these, and round up', async () => {
  const [, places] = await told(undefined, spread({ a: '30%', b: null }), 11);
  expect(places).toBe('Of 11 pods of CloneSet web, in this order: a: at most 4, b: all that come.');
});

test('a change of caps says what it does to new pods', async () => {
  expect(await told(spread({ a: 2, b: null }), spread({ a: 3, b: null }))).toEqual([
    '~ WorkloadSpread shop/web: spec.subsets changed; a takes at most 3, before 2; running pods do not move; reconciled at once, needs no plan',
    'Of 6 pods of CloneSet web, in this order: a: at most 3, b: all that come.',
    'Running pods do not move.',
  ]);
});

test.each<[string, Readonly<Record<string, number | string | null>>, string]>([
  ['counts', { a: 2, b: null }, 'a: at most 2, b: all that come'],
  ['percentages', { a: '50%', b: null }, 'a: at most 4, b: all that come'],
])('%s are shown where the workload alone changes its size', async (_what, caps, rows) => {
  const files = (replicas: number) => ({ 'web.yaml': cloneSet({ replicas }), 'spread.yaml': spread(caps) });
  const { host } = await planned(files(6), files(8));
  const lines = host.out.split('\n').map((line) => line.trim());
  expect(lines).toContain(
    '~ WorkloadSpread shop/web: CloneSet web wants 8 pods, before 6; reconciled at once, needs no plan',
  );
  expect(lines).toContain(`Of 8 pods of CloneSet web, in this order: ${rows}.`);
  const same = await planned(files(6), files(6));
  expect(same.host.out).not.toContain('WorkloadSpread');
});

test('where something else says how large the workload is, there is no table', async () => {
  const filter = { targetFilter: { replicasPathList: ['spec.replicas'] } };
  const [, next] = await told(undefined, spread({ a: 2, b: null }, filter));
  expect(next).not.toContain('Of 6 pods');
});

test.each<[string, Readonly<Record<string, number | string | null>>, string | undefined]>([
  ['a last one without a cap', { a: 2, b: null }, undefined],
  ['percentages of all', { a: '50%', b: '50%' }, undefined],
  ['caps below the replicas', { a: 2, b: 2 }, 'has room for 4 pods of CloneSet web, which wants 6'],
  ['a capped last one', { a: 2, b: 9 }, 'has room for 11 pods of CloneSet web: what it creates beyond'],
])('room for pods: %s', async (_what, caps, expected) => {
  const { all } = await diagnosticsOf(
    { 'head/web.yaml': cloneSet({ replicas: 6 }), 'head/spread.yaml': spread(caps) },
    { args: ['validate', 'head'] },
  );
  const messages = all.filter(({ code }) => code === 'KR2235').map(({ message }) => message);
  if (expected === undefined) expect(messages).toEqual([]);
  else expect(messages).toEqual([expect.stringContaining(expected)]);
});

test.each<[string, JsonObject, string | undefined]>([
  ['that fits', { spec: { containers: [{ name: 'nginx', env: [{ name: 'A', value: 'b' }] }] } }, undefined],
  ['of labels', { metadata: { labels: { place: 'a' } } }, undefined],
  [
    'that leads to a pod which a server refuses',
    { spec: { containers: [{ name: 'nginx', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] } },
    'leads to a pod that is refused: pod.spec.containers[0].volumeMounts[0].name',
  ],
  ['that does not fit', { spec: { tolerations: {} } }, 'leads to a pod that is refused: spec.tolerations'],
])('a patch %s', async (_what, patch, expected) => {
  const subsets: JsonObject[] = [{ name: 'a', patch }];
  const { all } = await diagnosticsOf(
    { 'head/web.yaml': cloneSet(), 'head/spread.yaml': spread({}, { subsets }) },
    { args: ['validate', 'head'] },
  );
  const messages = all.filter(({ code }) => code === 'KR2234').map(({ message }) => message);
  if (expected === undefined) expect(messages).toEqual([]);
  else expect(messages).toEqual([expect.stringContaining(expected)]);
});
