import { afterEach, describe, expect, test } from 'vitest';
import { main } from '../../cli/dispatch.ts';
import { createRefusals } from '../../runtime/plan/refusals.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { Json } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { web } from '../stories/manifests.ts';
import { createStoryCluster, type StoryCluster } from '../stories/stage.ts';
import { held, lose, MANIFEST, settled, shown } from '../stories/story.ts';
import { quotas } from '../fixtures/quotas.ts';

const MINUTE = 60_000;
const NEW = 'nginx:1.26-alpine';
const OLD = 'nginx:1.25-alpine';

let stage: StoryCluster;
afterEach(() => stage.stop());

async function start(parts: Parameters<typeof web>[0] = {}): Promise<void> {
  stage = await createStoryCluster({ files: { [MANIFEST]: web({ replicas: 3, ...parts }) } });
}

/** What a namespace's administrator sets, and the server's admission holds every pod to from then on. */
async function demand(kind: 'ResourceQuota' | 'LimitRange', spec: Record<string, Json>): Promise<void> {
  const plural = kind === 'LimitRange' ? 'limitranges' : 'resourcequotas';
  const resource = { group: '', version: 'v1', plural, kind, namespaced: true };
  await stage.user.create(resource, {
    apiVersion: 'v1',
    kind,
    metadata: { namespace: 'shop', name: 'team' },
    spec,
  });
  await stage.run(1000);
}

const limitsDemanded = () => demand('ResourceQuota', { hard: { 'limits.cpu': '4' } });
const REFUSED =
  /a pod cannot be created: pods "web-\w{5}" is forbidden: failed quota: team: must specify limits\.cpu for: nginx. Change the template or what refuses it/;

/** What `kruise status` prints of the target; `all`: its row among all targets. */
async function status(all = false): Promise<string> {
  const host = memoryHost({}, { cwd: '/', env: { NO_COLOR: '1' } });
  await main(Object.assign(host, { cluster: stage.user }), [
    'status',
    ...(all ? [] : ['CloneSet/web']),
    '-n',
    'shop',
  ]);
  return host.out;
}

/** The Events that the target is held: count and message. */
async function heldEvents(): Promise<[number, string][]> {
  const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
  return items
    .filter((event) => event['reason'] === 'Held')
    .map((event) => [Number(event['count']), String(event['message'])]);
}

/** How many writes of each resource the store took within this time. */
async function writesWithin(ms: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const stop = stage.world.onCommit(({ resource }) => {
    counts[resource] = (counts[resource] ?? 0) + 1;
  });
  await stage.run(ms);
  stop();
  return counts;
}

describe('a pod that the server refuses permanently', () => {
  test('at first contact: the target is held with the reason, once, and creates are retried at a bounded rate', async () => {
    await start();
    await limitsDemanded();
    await stage.sync();
    await stage.run(2 * MINUTE);
    expect(await stage.pods()).toEqual([]);
    expect(await held(stage)).toMatch(/^FailedCreate: /);
    expect(await held(stage)).toMatch(REFUSED);
    expect(await heldEvents()).toEqual([[1, expect.stringMatching(REFUSED)]]);
    expect(await status()).toMatch(REFUSED);
    // In steady state only the count of the one Event about the attempts is written.
    const writes = await writesWithin(30 * MINUTE);
    expect(Object.keys(writes)).toEqual(['events']);
    expect(writes['events']).toBeLessThanOrEqual(30);
    expect(await heldEvents()).toHaveLength(1);
  });

  test('when its cause ends: pods are created within a minute, and the target is no longer held', async () => {
    await start();
    await limitsDemanded();
    await stage.sync();
    await stage.run(20 * MINUTE);
    await stage.user.delete(quotas, { namespace: 'shop', name: 'team' });
    await stage.run(MINUTE);
    expect(await stage.pods()).toHaveLength(3);
    expect(await held(stage)).toBe('');
  });

  test('it ends when no pod is wanted any more', async () => {
    await start();
    await limitsDemanded();
    await stage.sync();
    await stage.run(5 * MINUTE);
    expect(await held(stage)).toMatch(REFUSED);
    await stage.user.patch(
      resources.CloneSet,
      { namespace: 'shop', name: 'web' },
      { type: 'merge', body: { spec: { replicas: 0 } } },
    );
    await stage.run(5000);
    expect(await held(stage)).toBe('');
  });

  test('a lost pod of a settled target', async () => {
    await start({ cpu: '100m' });
    await settled(stage);
    await demand('LimitRange', { limits: [{ type: 'Container', min: { cpu: '1' } }] });
    await lose(stage, OLD);
    await stage.run(2 * MINUTE);
    expect(await stage.pods()).toHaveLength(2);
    const said = /minimum cpu usage per Container is 1, but request is 100m/;
    expect(await held(stage)).toMatch(said);
    expect(await status()).toMatch(said);
  });

  test('in a rollout: the plan has the reason while it waits, and when it fails', async () => {
    await start({ policy: 'ReCreate' });
    await settled(stage);
    await limitsDemanded();
    await stage.commit('a new image', { [MANIFEST]: web({ replicas: 3, policy: 'ReCreate', image: NEW }) });
    await stage.sync();
    await stage.run(2 * MINUTE);
    expect(await shown(stage)).toMatchObject({
      phase: 'Running',
      waitingOn: 'FailedCreate',
      message: expect.stringMatching(REFUSED),
    });
    expect(await held(stage)).toMatch(REFUSED);
    const quiet = await writesWithin(5 * MINUTE);
    expect(Object.keys(quiet).filter((resource) => resource !== 'controllerrevisions.apps')).toEqual([
      'events',
    ]);
    await stage.until('Halted');
    expect((await shown(stage)).message).toMatch(
      /no pod became available for 10m in \S+\. The server refused a pod: pods "web-\w{5}" is forbidden: failed quota/,
    );
    expect(await status()).toContain('The server refused a pod');
  });
});

type Policy = 'InPlaceIfPossible' | 'ReCreate';

/** How many of the three pods a rollout may take out of traffic at once. */
const WINDOW = 2;

/** What the server refuses of pods that are there: the verb, and of which; nothing at first. */
interface Refusing {
  verb: 'patch' | 'delete' | undefined;
  code: number;
  only: (pod: string) => boolean;
}

/** Three settled pods, and a runtime whose writes to them can be refused. */
async function startRefusing(policy: Policy): Promise<Refusing> {
  const refusing: Refusing = { verb: undefined, code: 403, only: () => true };
  const check = (verb: string, plural: string, name: string): void => {
    if (refusing.verb !== verb || plural !== 'pods' || !refusing.only(name)) return;
    const message = `pods "${name}" is forbidden: User "kruise" cannot ${verb} resource "pods"`;
    throw new ApiError({ code: refusing.code, reason: 'Forbidden', message });
  };
  const guarded = (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch(resource, at, patch, options) {
      // Draining writes the status, which is a right of its own.
      if (options?.subresource === undefined) check('patch', resource.plural, at.name);
      return cluster.patch(resource, at, patch, options);
    },
    async delete(resource, at, options) {
      check('delete', resource.plural, at.name);
      return cluster.delete(resource, at, options);
    },
  });
  stage = await createStoryCluster({
    files: { [MANIFEST]: web({ replicas: 3, policy, maxUnavailable: WINDOW }) },
    start: (options) =>
      createRuntime({
        ...options,
        cluster: guarded(options.cluster),
        onError(key, error) {
          if (!(error instanceof ApiError && error.status.code === refusing.code))
            options.onError?.(key, error);
        },
      }),
  });
  await settled(stage);
  return refusing;
}

async function change(policy: Policy): Promise<void> {
  await stage.commit('a new image', {
    [MANIFEST]: web({ replicas: 3, image: NEW, policy, maxUnavailable: WINDOW }),
  });
  await stage.sync();
}

const readyPods = async (): Promise<number> =>
  (await stage.pods()).filter((pod) =>
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  ).length;

const refusals = [
  ['FailedUpdate', 'patch', 'InPlaceIfPossible', 'updated', 403],
  ['FailedUpdate', 'patch', 'InPlaceIfPossible', 'updated', 422],
  ['FailedDelete', 'delete', 'ReCreate', 'deleted', 403],
] as const;

describe.each(refusals)('%s: the server refuses to %s existing pods', (reason, verb, policy, done, code) => {
  const sentence = new RegExp(
    `a pod cannot be ${done}: pods "web-\\w{5}" is forbidden: User "kruise" cannot ${verb} resource "pods". Grant the right or change what refuses it`,
  );

  test(`with ${code}: target, plan and status say so; no more pods are drained than the window allows; quiet`, async () => {
    const refusing = await startRefusing(policy);
    Object.assign(refusing, { verb, code });
    await change(policy);
    await stage.run(2 * MINUTE);
    expect(await held(stage)).toMatch(new RegExp(`^${reason}: `));
    expect(await held(stage)).toMatch(sentence);
    expect(await shown(stage)).toMatchObject({
      phase: 'Running',
      waitingOn: reason,
      message: expect.stringMatching(sentence),
    });
    expect(await status()).toContain(reason);
    expect(await status()).toMatch(sentence);
    const drained = 3 - (await readyPods());
    expect(drained).toBeLessThanOrEqual(WINDOW);
    const writes = await writesWithin(5 * MINUTE);
    const kinds = Object.keys(writes).filter((resource) => resource !== 'controllerrevisions.apps');
    expect(kinds).toEqual(['events']);
    // One for each pod that is refused, each half minute.
    expect(writes['events']).toBeLessThanOrEqual(10 * WINDOW);
    expect(3 - (await readyPods())).toBe(drained);
    expect((await heldEvents()).map(([, said]) => said.split(':')[0])).toEqual([reason]);
    await stage.until('Halted');
    expect((await shown(stage)).message).toMatch(/The server refused a pod: pods "web-\w{5}" is forbidden/);
    // What was drained is given back; then that is quiet, too.
    await stage.run(2 * MINUTE);
    expect(Object.keys(await writesWithin(30 * MINUTE)).filter((resource) => resource !== 'events')).toEqual(
      [],
    );
  });

  test(`with ${code}: reverted once the write succeeds, and the rollout continues`, async () => {
    const refusing = await startRefusing(policy);
    Object.assign(refusing, { verb, code });
    await change(policy);
    await stage.run(5 * MINUTE);
    expect(await held(stage)).toMatch(sentence);
    refusing.verb = undefined;
    await stage.run(MINUTE);
    expect(await held(stage)).toBe('');
    expect(await status()).not.toContain('a pod cannot be');
    await stage.until('Succeeded');
  });
});

test('the refusal of one pod ends when its write succeeds, while another is still refused', async () => {
  const refusing = await startRefusing('InPlaceIfPossible');
  refusing.verb = 'patch';
  await change('InPlaceIfPossible');
  await stage.run(2 * MINUTE);
  const named = async () => /pods "(web-\w{5})"/.exec(await held(stage))?.[1];
  const first = await named();
  expect(first).toBeDefined();
  refusing.only = (pod) => pod !== first;
  await stage.run(MINUTE);
  expect(await held(stage)).toMatch(/^FailedUpdate: /);
  expect(await named()).not.toBe(first);
  expect((await stage.pods()).map(({ metadata }) => metadata.name)).toContain(await named());
});

test('a transient error of the server is not a refusal', async () => {
  const refusing = await startRefusing('InPlaceIfPossible');
  Object.assign(refusing, { verb: 'patch', code: 429 });
  await change('InPlaceIfPossible');
  await stage.run(2 * MINUTE);
  expect(await held(stage)).toBe('');
});

test('outside of a rollout: a surplus pod that cannot be deleted', async () => {
  const refusing = await startRefusing('ReCreate');
  await change('ReCreate');
  await stage.until('Succeeded');
  refusing.verb = 'delete';
  await stage.user.patch(
    resources.CloneSet,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body: { spec: { replicas: 2 } } },
  );
  await stage.run(2 * MINUTE);
  expect(await held(stage)).toMatch(/^FailedDelete: /);
  expect(await status(true)).toMatch(/FailedDelete +\S+ +a pod cannot be deleted: pods "web-/);
  refusing.verb = undefined;
  await stage.run(MINUTE);
  expect(await stage.pods()).toHaveLength(2);
  expect(await held(stage)).toBe('');
});

test('of several pods the first by name is reported, in whatever order the responses arrive', () => {
  const noted = createRefusals(createVirtualClock(0));
  for (const name of ['web-b', 'web-a', 'web-c', 'web-b']) {
    const about = { kind: 'Pod', verb: 'delete', reason: 'a test' } as const;
    const error = new ApiError({ code: 403, reason: 'Forbidden', message: name });
    noted.note({ ...about, do: 'delete', name, uid: name, resourceVersion: '1' }, error);
  }
  expect(noted.all()[0]).toMatchObject({ reason: 'FailedDelete', message: 'web-a' });
});

test('a pod that pulls and is refused holds nothing up, and the plan says why', async () => {
  stage = await createStoryCluster({
    files: {
      [MANIFEST]: web({ replicas: 3, maxUnavailable: 1 }),
      'kruise.yaml': 'steps: [{match: {}, pull: {}}]',
    },
  });
  await settled(stage);
  await limitsDemanded();
  await stage.commit('nginx 1.26', { [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, image: NEW }) });
  await stage.sync();
  await stage.run(MINUTE);
  expect((await shown(stage)).message).toMatch(
    /^waits for images: 0 of 3 nodes have the images\. The server refuses a pod: pods "web-pull-\w{12}" is forbidden: failed quota: team: must specify limits\.cpu for: image-1$/,
  );
  expect(await held(stage)).toBe('');
  await stage.run(10 * MINUTE);
  expect(await held(stage)).toMatch(/^Halted: pull: 0 of 3 nodes have the images\. The server refuses a pod/);
});

test('a refused pull ahead of an update without a plan does not delay the update', async () => {
  const ahead = (image: string): string =>
    web({ replicas: 4, maxUnavailable: 1, image }).replace(
      '  namespace: shop\n',
      '  namespace: shop\n  annotations: {plan.kruise.io/image-predownload: "true"}\n',
    );
  stage = await createStoryCluster({ files: { [MANIFEST]: ahead(OLD) }, policy: 'Auto' });
  await settled(stage);
  await limitsDemanded();
  await stage.commit('nginx 1.26', { [MANIFEST]: ahead(NEW) }, { plan: false });
  await stage.sync();
  await stage.run(30_000);
  expect((await stage.pods()).map((pod) => pod.spec.containers[0]?.image)).toEqual(Array(4).fill(NEW));
  expect(await held(stage)).toBe('');
});
