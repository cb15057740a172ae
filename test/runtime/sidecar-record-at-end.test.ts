import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { publishedName } from '../semantics/sidecarset/model.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

type Change = 'an image' | 'a command';

/** A set with an earlier or later sidecar, bound by a selector. A command reaches no running pod. */
const given = (change: Change, version: number, track?: string): [image: string, spec: JsonObject] => {
  const image = change === 'an image' ? `log:${version}` : 'log:1';
  const command: JsonObject = change === 'an image' ? {} : { command: [`v${version}`] };
  const selector: JsonObject = track === undefined ? {} : { selector: { matchLabels: { track } } };
  return [image, { containers: [{ name: 'log', image, ...command }], updateStrategy: selector }];
};

const ALL: Step = { id: 'all', update: { to: '100%' } };
/** Where pods have the change already, the last step is done as soon as it begins. */
const AFTER_SOAK: readonly Step[] = [{ id: 'soak', soak: { for: '10s' } }, ALL];

/** What a new pod of a track gets at the moment when the plan of the set is Succeeded: an image and a command. */
async function givenAtSuccess({ world, user }: SidecarWorld): Promise<(track: string) => string> {
  const set = await user.get(sidecarSets, { name: 'log' });
  const { items } = await user.list(resources.ControllerRevision, {});
  const revisions = new Map(items.map((each) => [each.metadata.name, each]));
  const earlier = (await user.list(resources.ClusterRolloutPlan, {})).items.map(
    ({ metadata }) => metadata.uid,
  );
  let atEnd: KubeObject[] | undefined;
  world.onCommit(({ object }) => {
    if (object.kind === 'ControllerRevision') revisions.set(object.metadata.name, object);
    const isPlan = object.kind === 'ClusterRolloutPlan' && !earlier.includes(object.metadata.uid);
    if (isPlan && objectOf(object['status'])['phase'] === 'Succeeded') atEnd ??= [...revisions.values()];
  });
  return (track) => {
    if (atEnd === undefined) throw new Error('the plan has not succeeded');
    const pod = { metadata: { name: 'new', labels: { track } } } as unknown as KubeObject;
    const name = publishedName(set, atEnd, pod);
    const data = objectOf(atEnd.find(({ metadata }) => metadata.name === name)?.['data']);
    const [container] = listOf(objectOf(data['spec'])['containers']);
    return `${textOf(container?.['image'])} ${[container?.['command'] ?? ''].flat().map(textOf).join('')}`;
  };
}

const CHANGES: readonly Change[] = ['an image', 'a command'];
/** Version and selector of the plan after one to version 2 for `canary`, and what new pods get at its end. */
const LATER: readonly [
  what: string,
  version: number,
  track: string | undefined,
  given: Record<string, number>,
][] = [
  ['without selector', 2, undefined, { main: 2, canary: 2 }],
  ['to another version without selector', 3, undefined, { main: 3, canary: 3 }],
  ['for another label', 2, 'beta', { main: 1, beta: 2 }],
  ['to another version', 3, 'canary', { main: 1, canary: 3 }],
  ['to another version for another label', 3, 'beta', { main: 1, beta: 3 }],
];

describe.each(CHANGES)(
  'a plan that changes %s has succeeded once it is on record what new pods get',
  (change) => {
    const text = (version: number): string =>
      change === 'an image' ? `log:${version} ` : `log:1 v${version}`;

    /** Only pods of `canary` run, so that no step waits for one. */
    async function canary(): Promise<SidecarWorld> {
      scene = await sidecarWorld();
      const [image, spec] = given(change, 1);
      await scene.set(image, undefined, spec);
      await scene.deployment('canary', 1, { track: 'canary' });
      return scene;
    }

    test('for a label', async () => {
      const cluster = await canary();
      const at = await givenAtSuccess(cluster);
      await land(cluster, change, 2, 'canary', [ALL]);
      expect([at('main'), at('canary')]).toEqual([text(1), text(2)]);
    });

    // A step of a change of an image is done once a pod has it: of `beta` there is none.
    const later = LATER.filter(
      ([, version, track]) => change === 'a command' || version === 2 || track !== 'beta',
    );
    test.each(later)('after one for a label: %s', async (_, version, track, wanted) => {
      const cluster = await canary();
      await land(cluster, change, 2, 'canary', [ALL]);
      await cluster.scale('canary', 2);
      const at = await givenAtSuccess(cluster);
      await land(cluster, change, version, track, version === 2 ? AFTER_SOAK : [ALL]);
      const found = Object.keys(wanted).map((each) => [each, at(each)]);
      expect(found).toEqual(Object.entries(wanted).map(([each, expected]) => [each, text(expected)]));
      expect(cluster.errors).toEqual([]);
    });
  },
);

test('so it is where a step has given it to a share of new pods', async () => {
  const change = 'a command';
  const cluster = (scene = await sidecarWorld());
  const [image, spec] = given(change, 1);
  await cluster.set(image, undefined, spec);
  await land(cluster, change, 2, 'canary', [ALL]);
  const at = await givenAtSuccess(cluster);
  const [, without] = given(change, 2);
  await cluster.set(
    image,
    [{ id: 'half', update: { to: '50%' } }, { id: 'soak', soak: { for: '1m' } }, ALL],
    without,
  );
  await cluster.deployment('web', 12, { track: 'main' });
  await cluster.until('Succeeded');
  expect(at('main')).toBe('log:1 v2');
});

async function land(
  cluster: SidecarWorld,
  change: Change,
  version: number,
  track: string | undefined,
  steps: readonly Step[],
): Promise<void> {
  const [image, spec] = given(change, version, track);
  await cluster.set(image, steps, spec);
  await cluster.until('Succeeded');
}
