import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { decideSpread } from '../../../semantics/workloadspread/decide.ts';
import { IGNORE_OLD_ANNOTATION, MATCHED_ANNOTATION } from '../../../semantics/workloadspread/resource.ts';
import { inZone, NOW, ownerOf, podIn, podsIn, spreadOf, withClosed } from './spreads.ts';

const nodes = {
  state: 'known' as const,
  pendingSince: undefined,
  of: (name: string) => (name === 'gone' ? undefined : { zone: name }),
};

function decided(
  target: KubeObject,
  pods: readonly Pod[],
  {
    owner = ownerOf(6),
    others = [],
    now = NOW,
  }: { owner?: KubeObject; others?: KubeObject[]; now?: number } = {},
) {
  return decideSpread({ target, pods, configs: [owner, ...others], nodes, now }, undefined);
}

const counts = (target: KubeObject, pods: readonly Pod[], owner = ownerOf(6)) =>
  decided(target, pods, { owner }).status.subsetStatuses.map(
    ({ name, replicas, missingReplicas }) => `${name} ${replicas}/${missingReplicas}`,
  );

/** A pod that runs on a node of this zone. */
const on = (zone: string, name = `old-${zone}`, more: JsonObject = {}): Pod => {
  const pod = podIn(name);
  return {
    ...pod,
    metadata: { ...pod.metadata, ...more },
    spec: { ...pod.spec, nodeName: zone },
  };
};

/** The subset that each older pod is put on record in. */
const recorded = (target: KubeObject, pods: readonly Pod[], others: KubeObject[] = []) =>
  decided(target, pods, { others }).actions.map((action) => {
    if (action.do !== 'patch') throw new Error(action.do);
    const { annotations, labels } = action.body['metadata'] as {
      annotations: Record<string, string>;
      labels?: JsonObject;
    };
    const { [MATCHED_ANNOTATION]: matched = '', ...more } = annotations;
    return [action.name, (JSON.parse(matched) as { subset: string }).subset, labels ?? {}, more];
  });

describe('the status of a WorkloadSpread (OpenKruise workloadspread, section 3)', () => {
  it('counts active pods, and what is missing to the cap', () => {
    expect(counts(spreadOf({ a: 3, b: null }), [...podsIn('a', 2), ...podsIn('b', 4)])).toEqual([
      'a 2/1',
      'b 4/-1',
    ]);
    expect(counts(spreadOf({ a: '50%', b: null }), podsIn('a', 1), ownerOf(5))).toEqual(['a 1/2', 'b 0/-1']);
  });

  it('WS-2: is within lower caps again', () => {
    expect(counts(spreadOf({ a: 2, b: 2 }), [...podsIn('a', 2), ...podsIn('b', 2)], ownerOf(4))).toEqual([
      ...['a 2/0', 'b 2/0'],
    ]);
  });

  it('WS-28: has no conditions under Fixed, and the same for the one version', () => {
    const { status } = decided(spreadOf({ a: 3, b: null }), podsIn('a', 2));
    expect(status.versionedSubsetStatuses).toEqual({ versionIgnored: status.subsetStatuses });
    expect(status.subsetStatuses.map(({ conditions }) => conditions)).toEqual([undefined, undefined]);
  });

  it('of a target that is not there takes percentages of nothing', () => {
    const { status } = decideSpread(
      { target: spreadOf({ a: '50%', b: null }), pods: [], nodes, now: NOW },
      undefined,
    );
    expect(status.subsetStatuses[0]?.missingReplicas).toBe(0);
  });
});

describe('pods that are older (OpenKruise workloadspread, rule 6.4)', () => {
  it('WS-20: get the annotation and the metadata of the patch, and count', () => {
    const metadata = { labels: { zone: 'a' }, annotations: { note: 'x' } };
    const subsets = [{ name: 'a', requiredNodeSelector: inZone('a'), patch: { metadata } }];
    const spread = spreadOf({}, { subsets });
    expect(recorded(spread, [on('a')])).toEqual([['old-a', 'a', { zone: 'a' }, { note: 'x' }]]);
    expect(counts(spread, [on('a')])).toEqual(['a 1/-1']);
    const ignoring = {
      ...spread,
      metadata: { ...spread.metadata, annotations: { [IGNORE_OLD_ANNOTATION]: 'TRUE' } },
    };
    expect(recorded(ignoring, [on('a')]), 'WS-21').toEqual([['old-a', 'a', {}, {}]]);
  });

  it('do not get labels by which their owner would lose them', () => {
    const patch = { metadata: { labels: { app: 'other' } } };
    const spread = spreadOf({}, { subsets: [{ name: 'a', requiredNodeSelector: inZone('a'), patch }] });
    expect(recorded(spread, [on('a')])).toEqual([['old-a', 'a', {}, {}]]);
  });

  it('WS-22: are taken over from a WorkloadSpread that is gone, and left to one that is there', () => {
    const matched = { annotations: { [MATCHED_ANNOTATION]: JSON.stringify({ name: 'other', subset: 'z' }) } };
    const spread = spreadOf({ a: 3, b: null });
    const other = { ...spread, metadata: { ...spread.metadata, name: 'other' } };
    expect(recorded(spread, [on('a', 'web-1', matched)])).toEqual([['web-1', 'a', {}, {}]]);
    expect(recorded(spread, [on('a', 'web-1', matched)], [other])).toEqual([]);
  });

  it('WS-40: are counted again after somebody has removed their annotation', () => {
    expect(counts(spreadOf({ a: 3, b: null }), [on('a', 'web-1'), podIn('web-2', 'b')])).toEqual([
      'a 1/2',
      'b 1/-1',
    ]);
  });

  it('go where there is room, among subsets of the same nodes', () => {
    const subsets: JsonObject[] = [
      { name: 'a', requiredNodeSelector: inZone('a'), maxReplicas: 1 },
      { name: 'b', requiredNodeSelector: inZone('a') },
    ];
    const pods = [podIn('web-1', 'a'), on('a', 'web-2')];
    expect(recorded(spreadOf({}, { subsets }), pods)).toEqual([['web-2', 'b', {}, {}]]);
  });

  it('go where their node is preferred', () => {
    const preferring = (zone: string, weight: number) => [{ weight, preference: inZone(zone) }];
    const subsets = [
      { name: 'a', preferredNodeSelector: preferring('b', 10) },
      { name: 'b', preferredNodeSelector: preferring('a', 1) },
    ];
    expect(recorded(spreadOf({}, { subsets }), [on('a')])).toEqual([['old-a', 'b', {}, {}]]);
  });

  it('go where the patch changes nothing', () => {
    const subsets: JsonObject[] = [{ name: 'a', patch: { metadata: { labels: { x: 'y' } } } }, { name: 'b' }];
    expect(recorded(spreadOf({}, { subsets }), [on('a')])).toEqual([['old-a', 'b', {}, {}]]);
  });

  it('stay in none on other nodes, on a node that is gone, without a node, and of a subset that is gone', () => {
    const gone = podIn('web-1', 'gone', { spec: { containers: [], nodeName: 'a' } });
    const pods = [on('x'), on('gone'), podIn('web-2'), gone];
    expect(recorded(spreadOf({ a: 3, b: null }), pods)).toEqual([]);
  });
});

describe('pods without a node (OpenKruise workloadspread, rule 6.6)', () => {
  const spread = spreadOf(
    { a: 2, b: null },
    { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 5 } } },
  );
  const unscheduled = (name: string, subset: string): Pod =>
    podIn(name, subset, {
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      },
    });
  const shown = (target: KubeObject, pods: Pod[], now: number) => {
    const { status, actions, events = [], requeueAt } = decided(target, pods, { now });
    return {
      conditions: status.subsetStatuses.map(({ conditions = [] }) =>
        conditions.map(({ status: is, reason }) => `${is} ${reason}`).join(),
      ),
      deleted: actions.map((action) => (action.do === 'delete' ? action.name : action.do)),
      events: events.map(({ reason }) => reason),
      after: requeueAt === undefined ? undefined : (requeueAt - NOW) / 1000,
      status,
    };
  };
  const sufficient = ['True Sufficient', 'True Sufficient'];

  it('wait for their time, and are looked at then', () => {
    const pods = [unscheduled('web-1', 'a'), unscheduled('web-2', 'b')];
    expect(shown(spread, pods, NOW + 4_000)).toMatchObject({ conditions: sufficient, deleted: [], after: 5 });
  });

  it('WS-26: are deleted then, but for those of the last subset, and theirs is left out', () => {
    const pods = [unscheduled('web-1', 'a'), unscheduled('web-2', 'b')];
    const closing = shown(spread, pods, NOW + 5_000);
    expect(closing.conditions).toEqual(['False PodUnschedulable', 'True Sufficient']);
    const closed = { ...spread, status: structuredClone(closing.status) };
    expect(shown(closed, pods, NOW + 5_000).deleted).toEqual(['web-1']);
  });

  it('are deleted once it is on record that theirs is left out: a new pod would come there again', () => {
    const pods = [unscheduled('web-1', 'a')];
    expect(shown(spread, pods, NOW + 5_000)).toMatchObject({
      conditions: ['False PodUnschedulable', 'True Sufficient'],
      deleted: [],
      after: 6,
    });
  });

  it('WS-27: after five minutes without any, their subset takes pods again', () => {
    const closed = withClosed(spread, ['a']);
    expect(shown(closed, [], NOW + 299_000)).toMatchObject({
      conditions: ['False PodUnschedulable', 'True Sufficient'],
      events: [],
      after: 300,
    });
    const opened = shown(closed, [], NOW + 300_000);
    expect(opened).toMatchObject({
      conditions: sufficient,
      events: ['RecoverSchedulable'],
      after: undefined,
    });
    expect(opened.status.subsetStatuses[0]?.conditions?.[0]?.lastTransitionTime).toBe('2026-01-01T00:05:00Z');
  });

  it('keep their subset left out, from the first time on', () => {
    const { status } = shown(withClosed(spread, ['a']), [unscheduled('web-1', 'a')], NOW + 200_000);
    expect(status.subsetStatuses[0]?.conditions?.[0]).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
  });
});
