import {
  authorized,
  createVirtualClock,
  createWorld,
  serviceAccount,
  type WebhookClient,
} from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import {
  disruptionConfiguration,
  creationPath,
  disruptionPath,
} from '../../../runtime/admit/configuration.ts';
import { createReviews } from '../../../runtime/admit/reviews.ts';
import type { Review } from '../../../runtime/admit/serve.ts';
import { createAdmissionCaches } from '../../../runtime/admit/sources.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import {
  admissionOptions,
  admittingBy,
  admittingOnlyBy,
  creatingKinds,
  injectorsOf,
  judgingKinds,
} from '../../../semantics/kinds/admitting.ts';
import { kinds as registered } from '../../../semantics/registry/registry.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { type BudgetRequest, budgetRequests } from '../../deploy/budget-requests.ts';
import { grant } from '../../deploy/scenario.ts';
import { shipped } from '../../security/shipped.ts';

const kinds = admittingBy(registered, ['exact-budgets']);
const ADMISSION = serviceAccount('kruise-system', 'kruise-admission');
const roles = shipped('components/admission', 'components/admission-exact').filter(({ kind }) =>
  /Role(Binding)?$/.test(kind),
);
const CONFIGURATIONS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
};

let end = (): void => {};
afterEach(() => end());

/** A budget with some slots, ten pods, and so many that answer for it. */
async function setup({ replicas, left }: { replicas: number; left: number }) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  let served: ReadonlyMap<string, Review>[] = [];
  let turn = 0;
  const webhooks: WebhookClient = (target, review) => {
    const own = served[turn++ % served.length];
    const answered = own?.get(target.path.split('?')[0] ?? '')?.(review as Parameters<Review>[0]);
    if (answered === undefined) return { fault: 'connection refused' };
    return answered instanceof Promise ? answered.then((body) => ({ body })) : { body: answered };
  };
  const namespaces = ['default', 'shop', 'kruise-system'];
  const world = createWorld({ clock, namespaces, nodes: 0, crds: [...crds], webhooks });
  grant(world, roles);
  const admin = world.cluster('admin');
  const [{ budget, pod }] = budgetRequests as [(typeof budgetRequests)[number]];
  const at = { namespace: 'shop', name: budget.metadata.name };
  await admin.create(resources.PodUnavailableBudget, { ...budget, metadata: { ...budget.metadata, ...at } });
  const status = { ...objectOf(budget['status']), unavailableAllowed: left };
  await admin.patch(
    resources.PodUnavailableBudget,
    at,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  const names = Array.from({ length: 10 }, (_, n) => `web-${n}`);
  for (const name of names) {
    const key = { namespace: 'shop', name };
    await admin.create(resources.Pod, {
      ...pod,
      metadata: { ...pod.metadata, ...key },
    });
    const body = { status: objectOf(pod['status']) };
    await admin.patch(resources.Pod, key, { type: 'merge', body }, { subresource: 'status' });
  }
  const refused = new Set<string>();
  const running = Array.from({ length: replicas }, () => {
    const cluster = authorized(world, ADMISSION, ({ verb, resource }, isAllowed) => {
      if (!isAllowed) refused.add(`${verb} ${resource}`);
    });
    const common = { cluster, clock, random: () => 0.5, kinds };
    const caches = createAdmissionCaches({
      ...common,
      injectors: injectorsOf(kinds),
      kinds: judgingKinds(kinds),
      stateNamespace: 'kruise-system',
      policy: 'Required',
      onError() {},
      onSync() {},
      onLeftOut() {},
    });
    caches.start();
    const reviews = createReviews({
      ...common,
      caches,
      accounts: [],
      onReviewed() {},
      onDisruption() {},
      onUnrecorded() {},
    });
    return { caches, reviews };
  });
  served = running.map(({ reviews }) => reviews);
  const configuration = disruptionConfiguration(
    (path) => ({ url: `https://admission.example${path}` }),
    [],
    kinds,
  );
  if (configuration === undefined) throw new Error('no kind reviews');
  world.server.create('admin', CONFIGURATIONS, configuration);
  await clock.advance(1_000);
  end = () => {
    for (const { caches } of running) caches.stop();
    world.stop();
  };

  async function deletes(all: readonly string[]): Promise<number[]> {
    const answers = all.map(async (name) =>
      admin.delete(resources.Pod, { namespace: 'shop', name }).then(
        () => 200,
        (error: unknown) => (error instanceof ApiError ? error.status.code : Promise.reject(error as Error)),
      ),
    );
    await clock.advance(20_000);
    return (await Promise.all(answers)).sort((a, b) => a - b);
  }
  const statusOf = async (): Promise<unknown> =>
    (await admin.get(resources.PodUnavailableBudget, at))['status'];
  return { deletes, statusOf, names, refused };
}

test.each([
  ['PUB-21: one that answers', 1],
  ['PUB-22: two that answer', 2],
])('ten deletions at once and two slots: exactly two pass, with %s', async (_, replicas) => {
  const { deletes, statusOf, names, refused } = await setup({ replicas, left: 2 });
  expect(await deletes(names)).toEqual([200, 200, ...Array.from({ length: 8 }, () => 403)]);
  const { unavailableAllowed, disruptedPods } = objectOf(await statusOf());
  expect([unavailableAllowed, Object.keys(objectOf(disruptedPods))]).toEqual([0, expect.any(Array)]);
  expect(Object.keys(objectOf(disruptedPods))).toHaveLength(2);
  expect([...refused]).toEqual([]);
});

test('without the option requests pass, before the caches are complete, too', async () => {
  const results: unknown[] = [];
  const reviews = createReviews({
    kinds: admittingBy(registered, []),
    caches: {
      pending: 'pods',
      sources: () => expect.fail(),
      objects: () => expect.fail(),
      isEnding: () => expect.fail(),
    },
    cluster: {} as Cluster,
    clock: createVirtualClock(0),
    random: () => 0.5,
    accounts: [],
    onReviewed() {},
    onDisruption: (kind, result) => results.push([kind, result]),
    onUnrecorded() {},
  });
  expect([...reviews.keys()][0]).toBe('/pods');
  const paths = admissionOptions(registered).flatMap((option) => {
    const all = admittingOnlyBy(registered, option);
    return [...creatingKinds(all).map(({ kind }) => creationPath(kind)), ...all.map(disruptionPath)];
  });
  const answers = paths.map((path) => reviews.get(path)?.({ request: { uid: 'u', operation: 'DELETE' } }));
  expect(answers).toEqual(
    paths.map(() => expect.objectContaining({ response: { uid: 'u', allowed: true } }) as unknown),
  );
  const off = { is: 'unreviewed', reason: 'SwitchedOff' };
  expect(results).toEqual(
    ['PodUnavailableBudget', 'WorkloadSpread', 'WorkloadSpread'].map((kind) => [kind, off]),
  );
});

describe('while it is down', () => {
  const at = (name: string) => ({ namespace: 'shop', name });
  const NAMESPACES = 'system:serviceaccount:kube-system:namespace-controller';

  /** The code of the answer to a request, as of the administrator or this user. */
  async function answered({ pod, request }: Pick<BudgetRequest, 'pod' | 'request'>, user = 'admin') {
    const world = createWorld({
      clock: createVirtualClock(Date.UTC(2026, 0, 1)),
      namespaces: ['shop'],
      nodes: 0,
      crds: [...crds],
      webhooks: () => ({ fault: 'connection refused' }),
    });
    end = () => world.stop();
    const key = at(pod.metadata.name);
    const [admin, cluster] = [world.cluster('admin'), world.cluster(user)];
    await admin.create(resources.Pod, { ...pod, metadata: { ...pod.metadata, ...key } });
    const body = { status: objectOf(pod['status']) };
    await admin.patch(resources.Pod, key, { type: 'merge', body }, { subresource: 'status' });
    const configuration = disruptionConfiguration(
      (path) => ({ url: `https://down.invalid${path}` }),
      [],
      kinds,
    );
    if (configuration === undefined) throw new Error('no kind reviews');
    world.server.create('admin', CONFIGURATIONS, configuration);
    try {
      if (request === 'DELETE') await cluster.delete(resources.Pod, key);
      else {
        const { patch, subresource } = request;
        const asked = { type: 'strategic', body: patch } as const;
        await cluster.patch(
          resources.Pod,
          key,
          asked,
          subresource === undefined ? {} : { subresource: 'resize' },
        );
      }
      return 200;
    } catch (error) {
      if (error instanceof ApiError) return error.status.code;
      throw error;
    }
  }

  const all = budgetRequests.filter(({ as }) => as === undefined);
  const [first] = all as [BudgetRequest];
  const free = { ...first.pod.metadata, annotations: {} };

  test.each(all.filter(({ refusal }) => refusal !== undefined))('stays: $title', async (each) => {
    expect(await answered(each)).toBe(500);
  });

  test.each<[string, Pick<BudgetRequest, 'pod' | 'request'>]>([
    ['a pod without a budget', { pod: { ...first.pod, metadata: free }, request: 'DELETE' }],
    ...all
      .filter(({ title }) =>
        /not ready passes|out of traffic passes|no-protect true passes|without its link/.test(title),
      )
      .map((each): [string, BudgetRequest] => [each.title, each]),
  ])('passes: %s', async (_, each) => {
    expect(await answered(each)).toBe(200);
  });

  test('a namespace loses its pods, and its controller changes none', async () => {
    const image = all.find(({ title }) => title === 'another image is refused');
    if (image === undefined) throw new Error('no case changes an image');
    expect([await answered(first, NAMESPACES), await answered(image, NAMESPACES)]).toEqual([200, 500]);
  });

  test('a pod that takes no slot keeps its link all the same', async () => {
    const unlink = all.find(({ title }) => title === 'the link is not removed');
    const broken = all.find(({ title }) => title.includes('not ready passes'));
    if (unlink === undefined || broken === undefined) throw new Error('a case is missing');
    expect(await answered({ pod: broken.pod, request: unlink.request })).toBe(500);
  });
});
