import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { budgetLowering } from '../../../semantics/podunavailablebudget/lowering.ts';
import { budgetNeighbors } from '../../../semantics/podunavailablebudget/neighbors.ts';
import { type LabelSelector, selectorPredicate } from '../../../semantics/values/selector.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { budget, SHOP } from './budgets.ts';

afterEach(() => void vi.restoreAllMocks());

const workload = (name: string, labels: Record<string, string>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: SHOP },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
});
const ofPods = (name: string, selector: LabelSelector): KubeObject => ({
  ...budget({ protectOperations: ['EVICT'], selector: selector as JsonObject }),
  metadata: { name, namespace: SHOP },
});

const podLabels: Record<string, string>[] = [
  {},
  { app: 'web' },
  { app: 'db' },
  { app: 'web', team: 'a' },
  { app: 'db', team: 'b' },
  { team: 'a' },
  { app: '' },
  { constructor: 'a' },
];
const selectors: LabelSelector[] = [
  {},
  { matchLabels: { app: 'web' } },
  { matchLabels: { app: 'web', team: 'a' } },
  { matchLabels: { app: 'none' } },
  { matchLabels: { app: '' } },
  { matchLabels: { constructor: 'a' } },
  { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db', 'web'] }] },
  { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
  { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'team', operator: 'In', values: [] }] },
  { matchExpressions: [{ key: 'team', operator: 'Near', values: ['a'] }] },
  {
    matchLabels: { team: 'a' },
    matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }],
  },
];
const workloads = podLabels.map((labels, at) => workload(`web-${at}`, labels));

test.each(selectors.map((selector) => [JSON.stringify(selector), selector] as const))(
  'the workloads of %s, and who else limits them, are those of each pair',
  (_text, selector) => {
    const matches = selectorPredicate(selector);
    const own = ofPods('own', selector);
    const selected = workloads.filter((_each, at) => matches(podLabels[at]));
    expect(
      budgetNeighbors([...workloads, own])
        .selectedBy(selector)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(selected.map(({ metadata: { name } }) => name).sort());
    // An empty one selects no pod of a budget.
    for (const other of selectors.slice(1)) {
      const near = budgetNeighbors([...workloads, own, ofPods('other', other)]);
      const areBoth = podLabels.some((labels) => matches(labels) && selectorPredicate(other)(labels));
      expect(near.isShared(own, near.selectedBy(selector)), JSON.stringify(other)).toBe(areBoth);
    }
  },
);

/** The steps of reading a state of so many workloads with a budget each: what is read of manifests, and labels that are tested. */
function steps(count: number): number {
  let reads = 0;
  const counted = (object: KubeObject): KubeObject => {
    const { spec, ...rest } = object;
    return Object.defineProperty(rest, 'spec', {
      enumerable: true,
      get() {
        reads += 1;
        return spec;
      },
    });
  };
  const each = Array.from({ length: count }, (_, at) => ({ team: 'a', app: `web-${at}` }));
  const inNamespace = each.flatMap((labels) => [
    counted(workload(labels.app, labels)),
    counted({ ...workload(labels.app, labels), apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet' }),
    counted(ofPods(labels.app, { matchLabels: labels })),
  ]);
  const around = { isScaled: false, namespaces: [], inNamespace };
  const tests = vi.spyOn(Object, 'hasOwn');
  for (const object of inNamespace) {
    if (object.kind === 'PodUnavailableBudget') budgetLowering.lower(object, around);
    if (object.kind === 'CloneSet' && cloneSetKind.lowering.of === 'object')
      cloneSetKind.lowering.lower(object, around);
  }
  const done = reads + tests.mock.calls.length;
  tests.mockRestore();
  return done;
}

test('ten times as many budgets and workloads of a namespace are read in ten times as many steps', () => {
  const few = steps(20);
  expect(steps(200) / few).toBeLessThan(12);
});
