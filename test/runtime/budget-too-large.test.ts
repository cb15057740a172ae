import { afterEach, expect, test } from 'vitest';
import { limitsFor } from '../../runtime/observe/retention.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { at, budget, deployment, endSite, MINUTE, SHOP, site, web } from './budget-site.ts';
import { cloneSet, templateOf } from './stage.ts';

afterEach(endSite);

const KIB = 1024;
/** Larger objects are not cached. */
const retention = { ...limitsFor(384 * KIB * KIB), object: 64 * KIB };

/** A CloneSet whose pods no budget selects. */
const free = (namespace = SHOP): KubeObject => {
  const made = cloneSet('free', 'free:1', { replicas: 2 });
  return { ...made, metadata: { ...made.metadata, namespace } };
};

/** Updates every CloneSet, and returns the images of all pods in the end. */
async function updated(user: Cluster, advance: (ms: number) => Promise<void>): Promise<string[]> {
  for (const { metadata } of (await user.list(resources.CloneSet)).items) {
    const { name, namespace = '' } = metadata;
    const body = { spec: { template: templateOf(name, `${name}:2`) } };
    await user.patch(resources.CloneSet, { namespace, name }, { type: 'merge', body });
  }
  await advance(5 * MINUTE);
  const { items } = await user.list(resources.Pod);
  const images = items.map(({ metadata, spec }) => {
    const [container] = (spec as { containers: { image: string }[] }).containers;
    return `${metadata.namespace} ${container?.image}`;
  });
  return [...new Set(images)].sort();
}

async function heldEvents(user: Cluster): Promise<string[]> {
  const { items } = await user.list(resources.Event, { namespace: SHOP });
  return items
    .filter(({ reason, involvedObject }) => {
      const { kind } = involvedObject as { kind: string };
      return reason === 'Held' && kind === 'PodUnavailableBudget';
    })
    .map(({ message }) => String(message));
}

test('a budget whose status is too large keeps its own pods as they are, and an event says so', async () => {
  const { user, clock, held, errors } = await site([web(2), free(), budget()], undefined, { retention });
  const names = Array.from({ length: 700 }, (_, index) => `x${index}`.padEnd(60, 'x'));
  const disruptedPods = Object.fromEntries(names.map((name) => [name, timestamp(clock.now())]));
  await user.patch(
    resources.PodUnavailableBudget,
    at('web'),
    { type: 'merge', body: { status: { disruptedPods } } },
    { subresource: 'status' },
  );
  await clock.advance(1_000);
  expect(await updated(user, clock.advance)).toEqual([`${SHOP} free:2`, `${SHOP} web:1`]);
  expect(await held()).toBe(
    'DisruptionNotAllowed: 2 pods may not become unavailable now: PodUnavailableBudget shop/web (not judged: it is too large) allows 0 unavailable pods',
  );
  expect(await heldEvents(user)).toEqual([
    'TooLarge: PodUnavailableBudget web exceeds the memory or nesting limit for one object. Make it smaller, or delete it if nothing needs it',
  ]);
  expect(errors).toEqual([]);
});

test('one whose selector is too large keeps the pods of its namespace as they are, and no others', async () => {
  const values = ['web', ...Array.from({ length: 1_000 }, (_, index) => `x${index}`.padEnd(60, 'x'))];
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] };
  const { user, clock, held } = await site(
    [web(2), free(), free('default'), { ...budget(), spec: { selector, maxUnavailable: 1 } }],
    undefined,
    { retention },
  );
  expect(await updated(user, clock.advance)).toEqual(['default free:2', `${SHOP} free:1`, `${SHOP} web:1`]);
  expect(await held()).toBe(
    'DisruptionNotAllowed: 2 pods may not become unavailable now: PodUnavailableBudget shop/web (not judged: it is too large to read which pods it is about) allows 0 unavailable pods',
  );
  const { status } = await user.get(resources.PodUnavailableBudget, at('web'));
  expect(status).toMatchObject({ conditions: [{ type: 'plan.kruise.io/Held', reason: 'TooLarge' }] });
});

test('a workload that is too large to be cached counts with all of its pods', async () => {
  const large = deployment('one', 4);
  const annotations = { note: 'x'.repeat(64 * KIB) };
  const { counts } = await site(
    [{ ...large, metadata: { ...large.metadata, annotations } }, budget()],
    undefined,
    { retention },
  );
  expect(await counts()).toBe('1/4/3/4');
});
