import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import {
  graceOf,
  LAST_WRITE,
  openKruiseObjects,
  revisionNames,
  stateOf,
  type Story,
} from '../fixtures/openkruise/objects.ts';
import { stateWith } from '../fixtures/openkruise/world.ts';

/** On every pod, as its template had it. */
interface Given {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

const withGiven = (template: JsonObject, given: Given): JsonObject => {
  const { labels, annotations, ...rest } = template['metadata'] as {
    labels: JsonObject;
    annotations?: JsonObject;
  };
  const metadata = {
    ...rest,
    labels: { ...labels, ...given.labels },
    annotations: { ...annotations, ...given.annotations },
  };
  return { ...template, metadata };
};

/** Three pods at the first of two revisions, whose template had these keys; the live one has them or not. */
async function takeOver(given: Given, parts: { live?: boolean; images?: Story['images'] } = {}) {
  const ids = ['bbbbb', 'ccccc', 'ddddd'];
  const left = openKruiseObjects({
    images: parts.images ?? [{ main: 'web:1' }, { main: 'web:2' }],
    pods: ids.map((id) => ({ id, on: 0, ...given })),
  });
  const [first] = left.revisions;
  if (first === undefined) throw new Error('there are two revisions');
  const data = first['data'] as { spec: { template: JsonObject } };
  data.spec.template = withGiven(data.spec.template, given);
  first.metadata.labels = { ...first.metadata.labels, ...given.labels };
  const spec = left.cloneSet['spec'] as JsonObject;
  if (parts.live === true) spec['template'] = withGiven(spec['template'] as JsonObject, given);
  const clock = createVirtualClock(LAST_WRITE);
  const restored = await stateWith(left, clock);
  const world = createWorld({ clock, restored, seed: 2, namespaces: [] });
  const user = world.cluster('user');
  const pods = async (): Promise<Pod[]> => (await user.list(resources.Pod)).items as Pod[];
  const before = await pods();
  const errors: unknown[] = [];
  const images = new Set<string>();
  const stop = world.onCommit(({ object }) => {
    if (object.kind === 'Pod') images.add((object as Pod).spec.containers[0]?.image ?? '');
  });
  const start = (policy: 'Required' | 'Auto') =>
    createRuntime({
      cluster: world.cluster('kruise'),
      clock,
      policy,
      onError: (_, error) => errors.push(error),
    });
  return {
    user,
    before,
    pods,
    /** What the runtime did to pods. */
    writes: () =>
      world.log
        .filter(({ user: by, verb }) => by === 'kruise' && ['create', 'patch', 'delete'].includes(verb))
        .filter(({ resource }) => resource === 'pods')
        .map(({ verb, name }) => `${verb} ${name ?? ''}`),
    /** What each pod ran at any time since. */
    images,
    async run(policy: 'Required' | 'Auto', ms = 300_000) {
      const runtime = start(policy);
      runtime.start();
      await clock.advance(ms);
      expect(errors).toEqual([]);
      void runtime.stop();
    },
    end() {
      stop();
      world.stop();
    },
  };
}

/** A grace period that has ended, after which another image is set. */
const grace = {
  ...stateOf({ revision: revisionNames[0] }, 600),
  ...graceOf({ revision: revisionNames[0], graceSeconds: 1, containerImages: { main: 'evil:1' } }),
};
const next = stateOf({ revision: revisionNames[0], nextContainerImages: { main: 'evil:1' } }, 600);
const cases: [string, Given][] = [
  ['a grace period that is over', { annotations: grace }],
  ['containers that are still to come', { annotations: next }],
  ['the wish to be deleted', { labels: { 'apps.kruise.io/specified-delete': 'true' } }],
  ['the label of an accepted plan', { labels: { 'plan.kruise.io/accepted': 'true' } }],
  ['a state on its way', { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' } }],
];

test.each(cases)(
  'security 3: pods that OpenKruise created from such a template are not changed: %s',
  async (_, given) => {
    const world = await takeOver(given);
    await world.run('Required');
    expect(world.writes()).toEqual([]);
    world.end();
  },
);

test.each(cases)('security 3: the same while the live template still has it: %s', async (_, given) => {
  const world = await takeOver(given, { live: true });
  await world.run('Auto');
  expect(world.writes()).toEqual([]);
  const [target] = (await world.user.list(resources.CloneSet)).items;
  expect(JSON.stringify(target?.['status'])).toContain('InvalidTarget');
  world.end();
});

test.each(cases)(
  'security 3: they are updated to the next revision, which removes it: %s',
  async (_, given) => {
    const world = await takeOver(given);
    await world.run('Auto', 600_000);
    const after = await world.pods();
    expect([...world.images].sort()).toEqual(['web:1', 'web:2']);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(
      world.before.map(({ metadata }) => metadata.uid),
    );
    for (const { metadata, spec } of after) {
      expect(spec.containers[0]?.image).toBe('web:2');
      for (const section of ['labels', 'annotations'] as const)
        for (const [key, value] of Object.entries(given[section] ?? {}))
          expect(metadata[section]?.[key]).not.toBe(value);
    }
    world.end();
  },
);

test('security 3: a pod that is recreated at such a revision does not have it', async () => {
  const world = await takeOver({ ...cases[2]?.[1], annotations: next });
  await world.user.delete(resources.Pod, { namespace: 'shop', name: world.before[0]?.metadata.name ?? '' });
  await world.run('Required');
  const after = await world.pods();
  expect(after).toHaveLength(3);
  const heir = after.find(({ metadata }) => world.before.every((pod) => pod.metadata.uid !== metadata.uid));
  expect(heir?.spec.containers[0]?.image).toBe('web:1');
  expect(Object.keys({ ...heir?.metadata.labels, ...heir?.metadata.annotations }).sort()).toEqual([
    'app',
    'apps.kruise.io/cloneset-instance-id',
    'controller-revision-hash',
    'lifecycle.apps.kruise.io/state',
    'lifecycle.apps.kruise.io/timestamp',
    'plan.kruise.io/pod-number',
    'pod-template-hash',
  ]);
  expect([...world.images].sort()).toEqual(['web:1']);
  world.end();
});

test('security 3: such a pod can be marked and recreated as well', async () => {
  const world = await takeOver(cases[2]?.[1] ?? {}, {
    images: [{ main: 'web:1' }, { main: 'web:2', helper: 'h:1' }],
  });
  await world.run('Auto', 900_000);
  const after = await world.pods();
  expect(after.map(({ spec }) => spec.containers.length)).toEqual([2, 2, 2]);
  world.end();
});
