import { expect, test } from 'vitest';
import { preflight } from '../../runtime/preflight.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { connectionTo } from './process-world.ts';
import { cloneSet } from './stage.ts';

interface Question {
  verb: string;
  resource: string;
  subresource?: string;
  namespace?: string;
}

/** The preflight on a server with these answers to reviews of rights; undefined: granted. */
async function asked(answer: (question: Question) => JsonObject | undefined, topologyKeys: string[] = []) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, crds: [...crds], namespaces: ['default', 'shop'] });
  await clock.settle();
  for (const [index, topologyKey] of topologyKeys.entries()) {
    const object = cloneSet(`web-${index}`, 'web:1');
    const spec = object['spec'] as { template: { spec: object } };
    const constraint = { topologyKey, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' };
    spec.template.spec = { ...spec.template.spec, topologySpreadConstraints: [constraint] };
    await world.cluster('user').create(resources.CloneSet, object);
  }
  const real = world.cluster('kruise');
  const cluster: Cluster = {
    ...real,
    async create(resource, body, options) {
      if (resource !== resources.SelfSubjectAccessReview) return real.create(resource, body, options);
      const { resourceAttributes } = body['spec'] as { resourceAttributes: Question };
      return { ...body, status: answer(resourceAttributes) ?? { allowed: true } };
    },
  };
  const told: string[] = [];
  const { problem } = await preflight(
    cluster,
    { connection: connectionTo('https://10.0.0.1:6443'), namespace: undefined, lease: undefined },
    (text) => told.push(text),
  );
  world.stop();
  return { told, problem: problem?.problem };
}

const unsure = { allowed: false, evaluationError: 'the authorization webhook does not answer' };

test('a right that the server could not decide is a warning, and is tried', async () => {
  const { told, problem } = await asked(({ verb, resource, subresource }) =>
    subresource === undefined && ['pods', 'events'].includes(resource) && ['patch', 'delete'].includes(verb)
      ? unsure
      : undefined,
  );
  expect(problem).toBeUndefined();
  expect(told).toEqual([
    'the server could not decide whether the runtime may patch and delete pods: the authorization webhook does not answer',
    'the server could not decide whether the runtime may patch events: the authorization webhook does not answer',
  ]);
});

test('a right that it refuses besides is a problem', async () => {
  const { told, problem } = await asked(({ verb, resource, subresource }) => {
    if (resource !== 'controllerrevisions' || subresource !== undefined) return undefined;
    if (verb === 'create') return { allowed: false, reason: 'RBAC: role "nosuch" not found' };
    return verb === 'delete' ? unsure : undefined;
  });
  expect(problem).toMatch(/lacks rights that the runtime needs in the cluster: create controllerrevisions$/);
  expect(told).toHaveLength(1);
});

test('an error together with a granted right is no problem', async () => {
  const { told, problem } = await asked(() => ({ ...unsure, allowed: true }));
  expect([told, problem]).toEqual([[], undefined]);
});

const blind = ({ resource }: Question): JsonObject | undefined =>
  resource === 'nodes' ? { allowed: false } : undefined;
const ZONE = 'topology.kubernetes.io/zone';

test.each([
  ['nothing is spread', [], []],
  ['over nodes, whose names are enough', ['kubernetes.io/hostname'], []],
  [
    'one over zones',
    ['kubernetes.io/hostname', ZONE],
    [
      'CloneSet shop/web-1 is scaled in by node alone, and the zones of its pods are ignored: the runtime may not list and watch nodes',
    ],
  ],
  [
    'two over zones',
    [ZONE, ZONE],
    [
      '2 CloneSets, shop/web-0 among them, are scaled in by node alone, and the zones of their pods are ignored: the runtime may not list and watch nodes',
    ],
  ],
])('a missing right to list nodes is a warning if a target is affected: %s', async (_, keys, expected) => {
  const { told, problem } = await asked(blind, keys);
  const unmanaged =
    /^no (BroadcastJob|DaemonSet|ImagePullJob|NodeImage) is managed: .* list and watch nodes;/;
  expect(told.flatMap((each) => unmanaged.exec(each)?.[1] ?? []).sort()).toEqual([
    'BroadcastJob',
    'DaemonSet',
    'ImagePullJob',
    'NodeImage',
  ]);
  expect([problem, told.filter((each) => !unmanaged.test(each))]).toEqual([undefined, expected]);
});

test('with the right to list nodes there is no warning', async () => {
  expect((await asked(() => undefined, [ZONE])).told).toEqual([]);
});
