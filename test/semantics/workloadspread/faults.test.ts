import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { NewPodRules } from '../../../semantics/kinds/admission.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { spreadAdmission } from '../../../semantics/workloadspread/admit.ts';
import { deletionCosts } from '../../../semantics/workloadspread/costs.ts';
import { decideSpread } from '../../../semantics/workloadspread/decide.ts';
import { invalidSpread } from '../../../semantics/workloadspread/invalid.ts';
import { idsOf } from '../../../semantics/workloadspread/matched.ts';
import { spreadReview } from '../../../semantics/workloadspread/removals.ts';
import { MATCHED_ANNOTATION } from '../../../semantics/workloadspread/resource.ts';
import { deploymentOf, podOf, spreadOfDeployment } from './gates.ts';
import { type Caps, chosen, NOW, ownerOf, podIn, podsIn, SETTLED, spreadOf } from './spreads.ts';

const nodes = { state: 'known' as const, pendingSince: undefined, of: (name: string) => ({ zone: name }) };

/** A pod on a node of this zone, with what its annotation says. */
const on = (zone: string, record: string): Pod => {
  const pod = podIn('web-1');
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { [MATCHED_ANNOTATION]: record } },
    spec: { ...pod.spec, nodeName: zone },
  };
};

const decided = (caps: Caps, pods: readonly Pod[], size = 6) =>
  decideSpread({ target: spreadOf(caps), pods, configs: [ownerOf(size)], nodes, now: NOW }, undefined);

const counts = (caps: Caps, pods: readonly Pod[], size = 6): string[] =>
  decided(caps, pods, size).status.subsetStatuses.map(
    ({ name, replicas, missingReplicas }) => `${name} ${replicas}/${missingReplicas}`,
  );

describe('examples of OpenKruise workloadspread, rules 6.2 and 6.5', () => {
  it('example 12: the first pod of a new version is in a, which holds three then', () => {
    const old = ['a', 'a', 'b', 'b', 'b', 'b'].map((subset, index) => podOf(`web-${index}`, subset));
    const fresh = podOf('web-9', undefined, { hash: 'h2' });
    const target = spreadOfDeployment({ a: 2, b: null });
    const { status } = decideSpread(
      { target, pods: [...old, fresh], configs: [deploymentOf(6)], nodes, now: NOW },
      undefined,
    );
    const [first] = status.versionedSubsetStatuses['h2'] ?? [];
    expect([first?.name, Object.keys(first?.creatingPods ?? {})]).toEqual(['a', ['web-9']]);
  });

  it('20 pods each, caps 10, 10 and none: a scale-in takes those beyond a cap first, the last subset first', () => {
    const pods = ['a', 'b', 'c'].flatMap((subset) => podsIn(subset, 20));
    const costs = deletionCosts(spreadOf({ a: 10, b: 10, c: null }), ownerOf(60), pods, SETTLED);
    const order = [...pods].sort((one, other) => (costs.get(one) ?? 0) - (costs.get(other) ?? 0));
    const subsets = order.map(({ metadata }) => metadata.name.slice(0, 1));
    expect(subsets.filter((subset, index) => subset !== subsets[index - 1]).join()).toBe('b,a,c,b,a');
    expect(subsets.slice(0, 20).join('')).toBe('b'.repeat(10) + 'a'.repeat(10));
  });
});

describe('faults of OpenKruise (workloadspread, section 10)', () => {
  it('5: a negative cap, which the definition refuses, takes no pod where it is stored all the same', () => {
    expect(chosen(spreadOf({ a: -1, b: null }), { names: ['web-x'] })).toEqual(['b']);
    expect(counts({ a: -1, b: null }, podsIn('b', 1))).toEqual(['a 0/0', 'b 1/-1']);
  });

  it('6: a pod without a name that is sent again takes a second place at the webhook, until 30 s are over', () => {
    const target = spreadOfDeployment({ a: 2, b: null });
    const taken = (object: KubeObject, requestId: string): KubeObject => {
      const pod = { ...podOf('', undefined), spec: { containers: [] } };
      const rules = spreadAdmission.create as NewPodRules;
      const asked = { pod, owners: [], objects: [object], found: undefined, requestId, now: NOW };
      const creation = rules.create(asked);
      return creation.is === 'recorded' ? { ...object, status: creation.status } : object;
    };
    const made = podOf('web-1', 'a');
    const record = JSON.stringify({ name: 'spread', subset: 'a', uid: 'r2' });
    const pods = [{ ...made, metadata: { ...made.metadata, annotations: { [MATCHED_ANNOTATION]: record } } }];
    const missing = (object: KubeObject, seconds: number): unknown =>
      decideSpread(
        { target: object, pods, configs: [deploymentOf(3)], now: NOW + seconds * 1_000 },
        undefined,
      ).status.versionedSubsetStatuses['h1']?.[0]?.missingReplicas;
    const once = taken(target, 'r2');
    const twice = taken(taken(target, 'r1'), 'r2');
    expect([missing(once, 29), missing(twice, 29), missing(twice, 30)]).toEqual([1, 0, 1]);
  });

  it('8: a pod for which no subset had room is counted where its node is, and goes first elsewhere', () => {
    const room = JSON.stringify({ name: 'spread', subset: '', by: 'room' });
    expect(counts({ a: 0, b: 1 }, [on('b', room)])).toEqual(['a 0/0', 'b 1/0']);
    expect(counts({ a: 0, b: 1 }, [on('x', room)])).toEqual(['a 0/0', 'b 0/1']);
    const pod = on('x', room);
    expect(deletionCosts(spreadOf({ a: 0, b: 1 }), ownerOf(1), [pod], SETTLED).get(pod)).toBe(-300);
  });

  it('9: pods of a target of none are counted while they are there', () => {
    expect(counts({ a: 3, b: null }, podsIn('a', 2), 0)).toEqual(['a 2/1', 'b 0/-1']);
  });

  it('10: pods on record stay in their subset, whatever it requires by now', () => {
    const pods = [on('b', '{"name":"spread","subset":"a"}')];
    expect(counts({ a: 2, b: null }, pods)).toEqual(['a 1/1', 'b 0/-1']);
    expect(decided({ a: 2, b: null }, pods).actions).toEqual([]);
  });

  it.each(['{', '[]', '"a"', '{"name":7}', '{"name":"spread","subset":7}', 'x'.repeat(3_000)])(
    '17: a pod whose annotation is %.30s is matched by its node, and no removal of it is on record',
    (record) => {
      const pod = on('a', record);
      expect(counts({ a: 2, b: null }, [pod])).toEqual(['a 1/1', 'b 0/-1']);
      expect(decided({ a: 2, b: null }, [pod]).actions).toMatchObject([
        { body: { metadata: { annotations: { [MATCHED_ANNOTATION]: '{"name":"spread","subset":"a"}' } } } },
      ]);
      const gated = { ...podOf('web-1', 'a') };
      const metadata = { ...gated.metadata, annotations: { [MATCHED_ANNOTATION]: record } };
      const target = spreadOfDeployment({ a: 2 });
      const asked = { operation: 'DELETE', pod: { ...gated, metadata } } as const;
      expect(spreadReview.review(target, asked, NOW)).toEqual({ is: 'allowed' });
    },
  );

  it.each<[string, JsonObject, string[]]>([
    ['none', {}, ['web-1']],
    ['one that is no text', { uid: 7 }, ['web-1']],
    ['one', { uid: 'r1' }, ['web-1', 'r1']],
  ])('18: a record with %s as uid is of the name of its pod', (_what, more, expected) => {
    expect(idsOf(on('a', JSON.stringify({ name: 'spread', subset: 'a', ...more })))).toEqual(expected);
  });
});

it('Adaptive without its settings may have a cap for the last subset, too', () => {
  expect(invalidSpread(spreadOf({ a: 1, b: 1 }, { scheduleStrategy: { type: 'Adaptive' } }))).toEqual([]);
});
