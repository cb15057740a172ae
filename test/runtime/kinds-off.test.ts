import { expect, test, vi } from 'vitest';
import { createManagedKinds } from '../../runtime/managed-kinds.ts';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { type DisabledKind, type Preflight, preflight } from '../../runtime/preflight.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind, PlannedKind } from '../../semantics/kinds/kind.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { connectionTo } from './process-world.ts';

/** Beside the kind that is shipped, one that owns objects of another definition, and one in no namespace. */
vi.mock('../../semantics/registry/registered.ts', async (original) => {
  const { registered } = await original<{ registered: readonly PlannedKind[] }>();
  const [first] = registered as readonly [PlannedKind];
  const group = 'test.example';
  const box = { group, version: 'v1', plural: 'boxes', kind: 'Box', namespaced: true };
  const kindOf = (
    kind: string,
    plural: string,
    more: Partial<PlannedKind>,
    namespaced = true,
  ): PlannedKind => ({
    ...first,
    id: { group, kind },
    resource: { group, version: 'v1', plural, kind, namespaced },
    ...more,
  });
  return {
    registered: [
      first,
      kindOf('Shelf', 'shelves', { uses: [{ of: 'OwnedPods' }, { of: 'Children', resource: box }] }),
      kindOf('Aisle', 'aisles', {}, false),
    ],
  };
});

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const defined = (kind: string, plural: string, scope = 'Namespaced'): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.test.example` },
  spec: {
    group: 'test.example',
    scope,
    names: { kind, plural },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
  },
});
const [shelves, boxes] = [defined('Shelf', 'shelves'), defined('Box', 'boxes')];
const aisles = defined('Aisle', 'aisles', 'Cluster');

async function runPreflight(served: readonly KubeObject[], namespace?: string) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, crds: [...served], namespaces: ['default'] });
  await clock.settle();
  const warnings: string[] = [];
  const whole = world.cluster('kruise');
  const cluster = namespace === undefined ? whole : inNamespace(whole, clock, namespace);
  const where = { connection: connectionTo('https://10.0.0.1:6443'), namespace, lease: undefined };
  const found = await preflight(cluster, where, (text) => warnings.push(text));
  world.stop();
  return { on: found.kinds.map(({ id }) => id.kind), told: warnings };
}

test('a kind is disabled if a resource that its targets own is not defined', async () => {
  const { on, told: warnings } = await runPreflight([...crds, shelves, aisles]);
  expect(on).toEqual(['CloneSet', 'Aisle']);
  expect(warnings).toMatchObject([
    expect.stringMatching(/^no Shelf is managed: .* know boxes\.test\.example;/),
  ]);
});

test('a single-namespace runtime logs the kinds that it does not manage', async () => {
  const { on, told: warnings } = await runPreflight([...crds, shelves, boxes, aisles], 'default');
  expect(on).toEqual(['CloneSet', 'Shelf']);
  expect(warnings).toEqual([
    'no Aisle is managed: its kind is cluster-scoped, and this runtime manages only namespace default; run another one without --namespace',
  ]);
});

test('the preflight is repeated every five minutes while a kind is disabled', async () => {
  const clock = createVirtualClock(0);
  const [first, second, third] = kinds as readonly [Kind, Kind, Kind];
  const off = (kind: Kind): DisabledKind => ({ kind, problem: { problem: 'x', help: 'y', isFinal: false } });
  const answers: (Preflight | Error)[] = [
    new Error('no answer'),
    { problem: undefined, kinds: [first, second], disabled: [off(third)], canResize: true, off: [] },
    { problem: undefined, kinds: [...kinds], disabled: [], canResize: true, off: [] },
  ];
  const on: string[] = [];
  let preflights = 0;
  const managedKinds = createManagedKinds(
    clock,
    async () => {
      const answer = answers[preflights++];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('too many looks');
      return Promise.resolve(answer);
    },
    ({ id }) => on.push(`${id.kind} ${clock.now() / 60_000}`),
  );
  managedKinds.found({
    problem: undefined,
    kinds: [first],
    disabled: [off(second), off(third)],
    canResize: true,
    off: [],
  });
  await clock.advance(60 * 60_000);
  expect(on).toEqual([`${second.id.kind} 10`, `${third.id.kind} 15`]);
  expect(preflights).toBe(3);
  expect(managedKinds.kinds).toEqual(kinds);
  managedKinds.stop();
});
