import { describe, expect, it, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { PatchAction } from '../../../semantics/decision.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { decideSpread, type SpreadStatus } from '../../../semantics/workloadspread/decide.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { BY_ANNOTATION, WEBHOOK } from '../../../semantics/workloadspread/resource.ts';
import { deploymentOf, podOf, spreadOfDeployment } from './gates.ts';
import { NOW } from './spreads.ts';

type World = {
  target: KubeObject;
  pods: readonly Pod[];
  owner?: KubeObject;
  now?: number;
  refusedPods?: ReadonlySet<string>;
};

function decided({ owner = deploymentOf(6), now = NOW, ...world }: World) {
  const { actions, status, requeueAt } = decideSpread({ ...world, configs: [owner], now }, undefined);
  const placed = actions.filter((each): each is PatchAction => each.do === 'patch' && each.verb === 'place');
  return { status, requeueAt, placed };
}

const withStatus = (target: KubeObject, status: SpreadStatus): KubeObject => ({
  ...target,
  status: structuredClone(status),
});

const byWebhook = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { [BY_ANNOTATION]: WEBHOOK } },
});

const subsetIn = ({ body }: PatchAction): string | undefined =>
  matchedOf({ apiVersion: 'v1', kind: 'Pod', ...(body as object) } as KubeObject)?.subset;

/** The names on record, of all versions and subsets. */
const recordsIn = ({ versionedSubsetStatuses }: SpreadStatus): string[] =>
  Object.values(versionedSubsetStatuses)
    .flat()
    .flatMap(({ creatingPods = {} }) => Object.keys(creatingPods));

const namesOf = (count: number, prefix = 'web'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`);

describe('places on record', () => {
  it('stay for 30 s, however many: a next process gives none of them twice', () => {
    const names = namesOf(1_800);
    let target = spreadOfDeployment({ a: names.length, b: null });
    const shown = new Set<string>();
    const pods = (): Pod[] => names.map((name) => podOf(name, shown.has(name) ? 'a' : undefined));
    for (let round = 0; round < 4; round += 1) {
      const { status, placed } = decided({ target, pods: pods(), now: NOW + round * 1_000 });
      for (const { name } of placed) shown.add(name);
      target = withStatus(target, status);
    }
    expect(shown.size).toBe(names.length);
    const { status } = decided({ target, pods: pods(), now: NOW + 5_000 });
    // The cache of the next one shows none of those pods yet, and a new one.
    const next = decided({ target: withStatus(target, status), pods: [podOf('web-new')], now: NOW + 6_000 });
    expect(next.placed.map(subsetIn)).toEqual(['b']);
  });

  it('are as many as fit the status: further pods wait until the first records end, of all versions together', () => {
    const pods = namesOf(900, 'x'.repeat(240)).map((name, index) =>
      podOf(name, undefined, { hash: `h${index % 3}` }),
    );
    const target = spreadOfDeployment({ a: 1_000, b: null });
    const first = decided({ target, pods });
    const size = JSON.stringify(first.status).length;
    expect(size).toBeGreaterThan(140_000);
    expect(size).toBeLessThan(155_000);
    const given = recordsIn(first.status);
    const second = decided({ target: withStatus(target, first.status), pods });
    expect([second.placed.length, recordsIn(second.status).sort()]).toEqual([given.length, given.sort()]);
    const names = new Set(given);
    const shown = pods.map((pod) =>
      names.has(pod.metadata.name)
        ? podOf(pod.metadata.name, 'a', { hash: pod.metadata.labels?.['pod-template-hash'] ?? '' })
        : pod,
    );
    const full = decided({ target: withStatus(target, first.status), pods: shown, now: NOW + 29_000 });
    expect([full.placed, recordsIn(full.status).sort(), full.requeueAt]).toEqual([
      [],
      given.sort(),
      NOW + 30_000,
    ]);
    const later = decided({ target: withStatus(target, first.status), pods: shown, now: NOW + 30_000 });
    expect(recordsIn(later.status)).toHaveLength(900 - given.length);
  });

  it('leave room for a webhook: of those that pods show the oldest go first', () => {
    const names = namesOf(3_500);
    const time = (index: number): string =>
      new Date(NOW - 20_000 + Math.floor(index / 100) * 500).toISOString();
    const creatingPods = Object.fromEntries(names.map((name, index) => [name, time(index)]));
    const a = { name: 'a', replicas: 0, missingReplicas: 0, creatingPods };
    const target = byWebhook(
      spreadOfDeployment({ a: 4_000, b: null }, {}, { versionedSubsetStatuses: { h1: [a] } }),
    );
    const pods = names.map((name) => podOf(name, 'a', { spec: { schedulingGates: [] } }));
    const { status } = decided({ target, pods });
    const kept = recordsIn(status);
    expect(kept.length * 38).toBeGreaterThan(95_000);
    expect(kept.length * 38).toBeLessThanOrEqual(100_000);
    expect(kept).toEqual(expect.arrayContaining(names.slice(900)));
    expect(names.slice(0, 800).filter((name) => kept.includes(name))).toEqual([]);
    const [counted] = status.versionedSubsetStatuses['h1'] ?? [];
    expect([(counted?.replicas ?? 0) + kept.length, counted?.missingReplicas]).toEqual([3_500, 500]);
  });

  it('of a pod that goes without its place are none: it is counted once, in no subset', () => {
    const target = spreadOfDeployment({ a: 2, b: null });
    const waiting = [podOf('web-1')];
    const first = decided({ target, pods: waiting });
    const { status, placed } = decided({
      target: withStatus(target, first.status),
      pods: [...waiting, podOf('web-2', 'a')],
      now: NOW + 30_000,
      refusedPods: new Set(['web-1']),
    });
    expect(placed.map(subsetIn)).toEqual([undefined]);
    expect(status.versionedSubsetStatuses['h1']?.[0]).toEqual({ name: 'a', replicas: 1, missingReplicas: 1 });
    const next = decided({
      target: withStatus(target, first.status),
      pods: [...waiting, podOf('web-2', 'a'), podOf('web-3')],
      now: NOW + 30_000,
      refusedPods: new Set(['web-1']),
    });
    expect(recordsIn(next.status)).toEqual(['web-3']);
  });
});

test.each([
  ['50%', -1, 0],
  ['100%', 4_000_000_000, 2_147_483_647],
  ['100%', 1e300, 2_147_483_647],
  ['100%', Infinity, 2_147_483_647],
  ['100%', NaN, 0],
])('a cap of %s of %s pods is one that a status may say: %s', (cap, replicas, expected) => {
  const { status } = decided({
    target: spreadOfDeployment({ a: cap }),
    pods: [],
    owner: deploymentOf(replicas),
  });
  expect(status.subsetStatuses[0]?.missingReplicas).toBe(expected);
});

test('numbers at paths that are too large together make no larger cap', () => {
  const targetFilter = { replicasPathList: ['spec.replicas', 'spec.replicas'] };
  const target = spreadOfDeployment({ a: '100%' }, { targetFilter });
  const { status } = decided({ target, pods: [], owner: deploymentOf(2_000_000_000) });
  expect(status.subsetStatuses[0]?.missingReplicas).toBe(2_147_483_647);
});

describe('versions in the status', () => {
  const podsOf = (versions: number, gated: boolean): Pod[] =>
    Array.from({ length: versions }, (_, index) =>
      podOf(`web-${index}`, gated ? undefined : 'a', { hash: `h${index}` }),
    );
  const versionsIn = (status: SpreadStatus): string[] => Object.keys(status.versionedSubsetStatuses);
  const many = Object.fromEntries(Array.from({ length: 199 }, (_, index) => [`s${index}`, 1]));

  it('are a hundred at most, with fewer the more subsets there are: those with the most pods', () => {
    const pods = [...podsOf(150, false), podOf('more', 'a', { hash: 'h149' })];
    const few = versionsIn(decided({ target: spreadOfDeployment({ a: 2, b: null }), pods }).status);
    expect([few.length, few.includes('h149')]).toEqual([100, true]);
    const target = spreadOfDeployment({ a: 2, ...many });
    expect(versionsIn(decided({ target, pods }).status)).toHaveLength(10);
  });

  it('have no places for more: a pod of another one does not wait, and one of theirs does', () => {
    const target = spreadOfDeployment({ a: 2, b: null });
    const { status, placed } = decided({ target, pods: podsOf(150, true) });
    expect([versionsIn(status).length, recordsIn(status).length]).toEqual([100, 100]);
    expect(placed.map(subsetIn)).toEqual(Array(50).fill(undefined));
    const known = versionsIn(status)[0] ?? '';
    const later = decided({
      target: withStatus(target, status),
      pods: [...podsOf(100, true), podOf('web-late', undefined, { hash: known })],
    });
    expect(recordsIn(later.status)).toContain('web-late');
  });
});
