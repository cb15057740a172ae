import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { NewPodRules } from '../../../semantics/kinds/admission.ts';
import { baselineOf } from '../../../semantics/plan/baseline.ts';
import { partsAtStart } from '../../../semantics/plan/child-step.ts';
import type { Progress } from '../../../semantics/plan/memory.ts';
import { unexplainedOf } from '../../../semantics/pod/in-place.ts';
import { decideBudget } from '../../../semantics/podunavailablebudget/decide.ts';
import { RAISED_ANNOTATION } from '../../../semantics/podunavailablebudget/raised-for.ts';
import { restartsIn } from '../../../semantics/sidecarset/unit.ts';
import { memberOf } from '../../../semantics/values/read.ts';
import { spreadAdmission } from '../../../semantics/workloadspread/admit.ts';
import { decideSpread } from '../../../semantics/workloadspread/decide.ts';
import { BY_ANNOTATION, WEBHOOK } from '../../../semantics/workloadspread/resource.ts';
import { child, viewOf } from '../plan/children.ts';
import { NEW, spec } from '../plan/rollout.ts';
import { AT, pod } from '../pod/pods.ts';
import {
  ago,
  budget,
  NOW as OF_BUDGET,
  pod as counted,
  SELECTOR,
  SHOP,
  workload,
} from '../podunavailablebudget/budgets.ts';
import { deploymentOf, podOf, spreadOfDeployment } from '../workloadspread/gates.ts';
import { NOW } from '../workloadspread/spreads.ts';

/** Names that users may give, and that every object has from its prototype. The other one sorts alike. */
const INHERITED = 'constructor';
const PLAIN = 'constructoq';

/** The same for both names, each written as the other one. */
function expectAlike(rule: (name: string) => unknown): void {
  const text = (name: string): string => JSON.stringify(rule(name)) ?? 'undefined';
  expect(text(INHERITED).replaceAll(INHERITED, PLAIN)).toBe(text(PLAIN));
}

test('a member is one of the object itself', () => {
  const parsed = JSON.parse('{"__proto__": 1, "a": 2}') as Record<string, number>;
  expect(['__proto__', 'a', 'b', INHERITED].map((key) => memberOf(parsed, key))).toEqual([
    1,
    2,
    undefined,
    undefined,
  ]);
  expect(memberOf(undefined, 'a')).toBeUndefined();
  expect(memberOf(null, 'a')).toBeUndefined();
});

test.each<[string, (name: string) => unknown]>([
  [
    'restarts of a container since an update in place',
    (name) => {
      const state = {
        revision: 'r',
        updateTimestamp: AT,
        lastContainerStatuses: null,
        restartCounts: { main: 1 },
      };
      return unexplainedOf(pod({ images: { [name]: 'a:1', main: 'b:1' }, state }), { name, restartCount: 3 });
    },
  ],
  [
    'restarts of a sidecar since its last change',
    (name) => {
      const statuses = [{ name, image: 'a:1', imageID: 'x', restartCount: 3 }];
      const changed = pod({ images: { [name]: 'a:1' }, statuses });
      const record = JSON.stringify({ set: { lastContainerStatuses: {}, restartCounts: {}, changed: [] } });
      changed.metadata.annotations = { 'kruise.io/sidecarset-inplace-update-state': record };
      return restartsIn(changed, 'set', name);
    },
  ],
  [
    'restarts of a unit that was broken before a plan',
    (unit) => {
      const baseline = { unavailable: [], restarts: {}, otherRestarts: 1 };
      const [row] = viewOf([child(unit, 1)]).pods;
      if (row === undefined) throw new Error('there is a row');
      return baselineOf({ baseline, excused: [] } as unknown as Progress).restartsOf({
        ...row,
        unit,
        restarts: 3,
      });
    },
  ],
  [
    'the part of a child at the start of a step',
    (name) => {
      const view = viewOf([child(name, 3), child('other', 3)]);
      const units = view.units.of === 'children' ? view.units : undefined;
      if (units === undefined) throw new Error('there are children');
      const steps = [{ id: 'a', update: { to: 2, subsets: [name] } }];
      const accepted = { ...spec(), to: { hash: NEW, bound: {} }, steps };
      const before = { step: -1, parts: { other: 1 } };
      return partsAtStart({ ...view, units }, { spec: accepted, step: 0 }, 6, before as never);
    },
  ],
  [
    'a PodDisruptionBudget that a budget keeps',
    (name) => {
      const raisedFor = { [RAISED_ANNOTATION]: JSON.stringify({ b: ago(1) }) };
      const guard: KubeObject = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: {
          ...{ name: 'web-evictions', namespace: SHOP, uid: 'uid-guard', resourceVersion: '9' },
          creationTimestamp: ago(60),
          annotations: raisedFor,
          ownerReferences: [
            {
              apiVersion: 'policy.kruise.io/v1beta1',
              kind: 'PodUnavailableBudget',
              name: 'web',
              uid: 'uid-budget',
              controller: true,
            },
          ],
        },
        spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow', maxUnavailable: 1 },
      };
      const pods = [name, 'b', 'c'].map((each) => counted(each));
      const { actions, status } = decideBudget(
        {
          ...{ target: budget(), pods, configs: [workload(3)], takenNames: new Set<string>() },
          ...{ disruptionBudgets: [guard], now: OF_BUDGET },
        },
        undefined,
      );
      return { actions, status };
    },
  ],
])('names that every object has are no members of a record: %s', (_what, rule) => expectAlike(rule));

const placed = (name: string, subset: string, hash: string, target: KubeObject): unknown => {
  const pods = [podOf(name, undefined, { hash }), podOf('web-1', subset, { hash })];
  const { actions, status } = decideSpread({ target, pods, configs: [deploymentOf(6)], now: NOW }, undefined);
  return { actions, status };
};

test('nor names of pods, subsets and versions of a WorkloadSpread', () => {
  expectAlike((name) => placed(name, name, name, spreadOfDeployment({ [name]: 2, b: null })));
  // A subset may have any name.
  const subsets = (name: string): JsonObject[] => [{ name, maxReplicas: 2 }, { name: 'b' }];
  const texts = ['__proto__', '__other__'].map((name) =>
    JSON.stringify(placed('web-0', name, 'h1', spreadOfDeployment({}, { subsets: subsets(name) }))),
  );
  expect(texts[0]?.replaceAll('__proto__', '__other__')).toBe(texts[1]);
});

test('nor names of new pods at the webhook', () => {
  const { create } = spreadAdmission.create as NewPodRules;
  expectAlike((name) => {
    const object = spreadOfDeployment({ [name]: 1, b: 1 });
    object.metadata.annotations = { [BY_ANNOTATION]: WEBHOOK };
    const { metadata, spec: podSpec } = podOf(name, undefined, { hash: name });
    const { labels, ownerReferences } = metadata;
    const asked = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', labels, ownerReferences },
      spec: { containers: podSpec.containers },
    } as unknown as KubeObject;
    return create({ pod: asked, owners: [], objects: [object], found: undefined, requestId: 'r1', now: NOW });
  });
});
