import { describe, expect, test } from 'vitest';
import { execute } from '../../runtime/act/executor.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { Action, PatchAction } from '../../semantics/decision.ts';
import { decide } from '../semantics/daemonset/model.ts';

/** The executor on a world, with a port that can refuse and that counts what is in flight. */
function bench(refuse: (verb: string, name: string) => ApiError | undefined = () => undefined) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop', 'ops'] });
  const user = world.cluster('user');
  const batches: number[] = [];
  const reported: string[] = [];
  let inFlight = 0;
  const call = async <Result>(verb: string, name: string, run: () => Promise<Result>): Promise<Result> => {
    inFlight += 1;
    await Promise.resolve();
    if (inFlight > 0) batches.push(inFlight);
    inFlight = 0;
    const error = refuse(verb, name);
    if (error !== undefined) throw error;
    return run();
  };
  const cluster: Cluster = {
    ...user,
    create: async (r, body, o) => call('create', body.metadata.name, async () => user.create(r, body, o)),
    patch: async (r, at, p, o) => call('patch', at.name, async () => user.patch(r, at, p, o)),
    delete: async (r, at, o) => call('delete', at.name, async () => user.delete(r, at, o)),
  };
  const run = async (
    actions: readonly Action[],
    instead: Partial<Cluster> = {},
    isCurrent?: (action: Action) => boolean,
    lastRefused?: (name: string) => number,
  ) =>
    execute(actions, {
      ...(lastRefused && { lastRefused }),
      cluster: { ...cluster, ...instead },
      ...(isCurrent && { isCurrent }),
      namespace: 'shop',
      fieldManager: 'kruise',
      onWritten: (_, object) => reported.push(`written ${object?.metadata.name ?? 'nothing'}`),
      observed: { versions: new Map([[resources.Pod, 7]]) },
      onNameTaken: (name) => reported.push(`taken ${name}`),
      onRefused: async (action, error) =>
        void reported.push(`refused ${action.verb}: ${error.status.reason}`),
    });
  return { user, world, batches, said: reported, run };
}

function pod(name: string, owner = 'uid-web'): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      ownerReferences: [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: owner, controller: true },
      ],
    },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  };
}

function create(name: string): Action {
  const event = { type: 'Normal', reason: 'SuccessfulCreate', message: name } as const;
  return { do: 'create', kind: 'Pod', verb: 'create', object: pod(name), reason: 'a test', event };
}

function labeled(action: Action, revision: string): Action {
  if (action.do === 'create') action.object.metadata.labels = { 'controller-revision-hash': revision };
  return action;
}

function label(object: KubeObject, metadata: Record<string, string | undefined> = {}): PatchAction {
  const { name, uid, resourceVersion } = object.metadata;
  const guard = {
    uid: metadata['uid'] ?? uid ?? '',
    resourceVersion: metadata['resourceVersion'] ?? resourceVersion ?? '',
  };
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'label',
    name,
    body: { metadata: { ...guard, labels: { seen: 'yes' } } },
    reason: 'a test',
  };
}

const quota = new ApiError({ code: 403, reason: 'Forbidden', message: 'exceeded quota' });
const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `p${i}`);

describe('the executor', () => {
  test('creates in batches of 1, 2, 4 … (OpenKruise cloneset, rule 6.4 step 4; CS-1)', async () => {
    const b = bench();
    const { events } = await b.run(names(12).map(create));
    expect(b.batches).toEqual([1, 2, 4, 5]);
    expect(events.map((event) => event.message).sort()).toEqual(names(12).sort());
  });

  test('creates the first 250 pods of a DaemonSet on 300 nodes in such batches (DS-46)', async () => {
    const b = bench();
    const nodes = Array.from({ length: 300 }, (_, n) => `n${n}`).join(' ');
    await b.run(decide({ nodes, pods: '' }).actions.filter(({ kind }) => kind === 'Pod'));
    expect(b.batches).toEqual([1, 2, 4, 8, 16, 32, 64, 123]);
  });

  test.each([
    [0, 1],
    [1, 3],
    [3, 7],
  ])('with a quota that refuses pod %i, %i creates are sent, not twelve', async (first, asked) => {
    const b = bench((verb, name) =>
      verb === 'create' && Number(name.slice(1)) >= first ? quota : undefined,
    );
    await expect(b.run(names(12).map(create))).rejects.toBe(quota);
    expect(b.batches.reduce((a, n) => a + n, 0)).toBe(asked);
    expect(b.said.filter((word) => word.startsWith('refused create'))).toHaveLength(asked - first);
  });

  test('a refused revision stops no other, nor the deletions after it', async () => {
    const b = bench((verb, name) => (verb === 'create' && name < 'p4' ? quota : undefined));
    const doomed = await b.user.create(resources.Pod, pod('z'));
    const { name, uid = '', resourceVersion = '' } = doomed.metadata;
    const at = (revision: string) => (each: string) => labeled(create(each), revision);
    const about = { kind: 'Pod', verb: 'delete', reason: 'a test' } as const;
    const deletion: Action = { do: 'delete', ...about, name, uid, resourceVersion };
    await expect(
      b.run([...['p0', 'p1'].map(at('old')), ...['p4', 'p5'].map(at('new')), deletion]),
    ).rejects.toBe(quota);
    expect(b.said).toEqual(['refused create: Forbidden', 'written p4', 'written p5', 'written nothing']);
  });

  test('of one revision others are tried after one is refused for itself, at most three, and those first the next time', async () => {
    const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message: 'not on this node' });
    const asked: string[] = [];
    const b = bench((_verb, name) => {
      asked.push(name);
      return Number(name.slice(1)) < 4 ? forbidden : undefined;
    });
    await expect(b.run(names(6).map(create))).rejects.toBe(forbidden);
    expect(asked).toEqual(['p0', 'p1', 'p2']);
    asked.length = 0;
    const turn = (name: string): number => (name < 'p3' ? 1 + Number(name.slice(1)) : 0);
    await expect(b.run(names(6).map(create), {}, undefined, turn)).rejects.toBe(forbidden);
    expect(asked).toEqual(['p3', 'p4', 'p5', 'p0', 'p1']);
  });

  test('patches sixteen at a time, and a refused one does not stop the others', async () => {
    const b = bench((verb, name) => (verb === 'patch' && name === 'p3' ? quota : undefined));
    const made = await Promise.all(names(20).map(async (name) => b.user.create(resources.Pod, pod(name))));
    await expect(b.run(made.map((object) => label(object)))).rejects.toBe(quota);
    expect(b.batches).toEqual([16, 4]);
    expect(b.said.filter((word) => word.startsWith('written'))).toHaveLength(19);
  });

  test('of seventeen, the last is sent when the first has ended, not when all others have', async () => {
    const ends: (() => void)[] = [];
    const sent: string[] = [];
    const waiting = async (name: string): Promise<undefined> => {
      sent.push(name);
      return new Promise((resolve) => ends.push(() => resolve(undefined)));
    };
    const b = bench();
    const made = await Promise.all(names(17).map(async (name) => b.user.create(resources.Pod, pod(name))));
    const all = b.run(
      made.map((object) => label(object)),
      {
        patch: async (_, at) => waiting(at.name) as never,
      },
    );
    await Promise.resolve();
    expect(sent).toEqual(names(16));
    ends[0]?.();
    for (let iteration = 0; iteration < 10; iteration += 1) await Promise.resolve();
    expect(sent).toEqual(names(17));
    for (const end of ends) end();
    await all;
  });

  test('an action on an object that has changed since is not sent', async () => {
    const b = bench();
    const made = await Promise.all(names(2).map(async (name) => b.user.create(resources.Pod, pod(name))));
    const actions = made.map((object) => label(object));
    const { conflicts } = await b.run(
      actions,
      {},
      (action) => action.do !== 'create' && action.name === 'p1',
    );
    expect(conflicts).toBe(1);
    expect(b.said).toEqual(['written p1']);
  });

  const stale: [string, Record<string, string>][] = [
    ['an older version', { resourceVersion: '1' }],
    ['another uid', { uid: 'uid-other' }],
  ];
  test.each(stale)('a patch decided on %s changes nothing, and is not an error', async (_, guard) => {
    const b = bench();
    const made = await b.user.create(resources.Pod, pod('a'));
    expect(await b.run([label(made, guard)])).toEqual({ events: [], conflicts: 1 });
    expect(
      (await b.user.get(resources.Pod, { namespace: 'shop', name: 'a' })).metadata.labels,
    ).toBeUndefined();
  });

  describe('an action chained to a patch', () => {
    const at = { namespace: 'shop', name: 'a' };
    const both = (object: KubeObject, guard: Record<string, string> = {}): PatchAction => ({
      ...label(object, guard),
      next: {
        ...label(object),
        verb: 'annotate',
        body: {
          metadata: {
            ...(label(object).body['metadata'] as JsonObject),
            labels: {},
            annotations: { followed: 'yes' },
          },
        },
        event: { type: 'Normal', reason: 'Followed', message: 'a' },
      },
    });

    test('requires the version that the first one wrote', async () => {
      const b = bench();
      const made = await b.user.create(resources.Pod, pod('a'));
      expect(await b.run([both(made)])).toEqual({
        events: [{ type: 'Normal', reason: 'Followed', message: 'a' }],
        conflicts: 0,
      });
      const { metadata } = await b.user.get(resources.Pod, at);
      expect([metadata.labels, metadata.annotations]).toEqual([{ seen: 'yes' }, { followed: 'yes' }]);
    });

    test('is not sent if the first one was refused', async () => {
      const b = bench();
      const made = await b.user.create(resources.Pod, pod('a'));
      expect(await b.run([both(made, { resourceVersion: '1' })])).toEqual({ events: [], conflicts: 1 });
      expect((await b.user.get(resources.Pod, at)).metadata.annotations).toBeUndefined();
    });

    test('changes nothing if another client wrote first', async () => {
      let patches = 0;
      const b = bench((verb) => {
        patches += Number(verb === 'patch');
        if (patches === 2) patch();
        return undefined;
      });
      const patch = (): void =>
        void b.user.patch(resources.Pod, at, {
          type: 'merge',
          body: { metadata: { labels: { other: 'yes' } } },
        });
      const made = await b.user.create(resources.Pod, pod('a'));
      expect(await b.run([both(made)])).toEqual({ events: [], conflicts: 1 });
      const { metadata } = await b.user.get(resources.Pod, at);
      expect([metadata.labels, metadata.annotations]).toEqual([{ seen: 'yes', other: 'yes' }, undefined]);
    });
  });

  test('a delete decided on another pod of the same name deletes nothing', async () => {
    const b = bench();
    const made = await b.user.create(resources.Pod, pod('a'));
    const action: Action = {
      do: 'delete',
      kind: 'Pod',
      verb: 'delete',
      name: 'a',
      uid: 'uid-before',
      resourceVersion: made.metadata.resourceVersion ?? '',
      reason: 'a test',
    };
    expect(await b.run([action, { ...action, name: 'gone' }])).toEqual({ events: [], conflicts: 2 });
    expect(await b.user.get(resources.Pod, { namespace: 'shop', name: 'a' })).toBeDefined();
  });

  test('an existing name with our owner is our own create: it is not created again, and no Event is sent twice', async () => {
    const b = bench();
    await b.user.create(resources.Pod, pod('p0'));
    const { events } = await b.run(names(2).map(create));
    expect(b.said).toContain('written p0');
    expect(events.map((event) => event.message)).toEqual(['p1']);
  });

  test('a name of another owner is skipped', async () => {
    const b = bench();
    await b.user.create(resources.Pod, pod('p0', 'uid-other'));
    await b.run(names(2).map(create));
    expect(b.said).toEqual(['taken p0', 'written p1']);
  });

  test('records contain the observed versions and keep their own annotations; pods do not contain them', async () => {
    const b = bench();
    const revision: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'r0', namespace: 'shop', annotations: { kept: 'yes' } },
      data: {},
      revision: 1,
    };
    await b.run([
      { do: 'create', kind: 'ControllerRevision', verb: 'create', object: revision, reason: 'a test' },
      create('p0'),
    ]);
    const at = (name: string) => ({ namespace: 'shop', name });
    const stored = await b.user.get(resources.ControllerRevision, at('r0'));
    expect(stored.metadata.annotations).toEqual({ kept: 'yes', 'plan.kruise.io/seen': '{"pods":7}' });
    expect((await b.user.get(resources.Pod, at('p0'))).metadata.annotations).toBeUndefined();
  });

  test('an error of the connection is thrown', async () => {
    const b = bench();
    const broken = new Error('socket hang up');
    await expect(
      execute([create('p0')], {
        cluster: { ...b.user, create: async () => Promise.reject(broken) },
        namespace: 'shop',
        fieldManager: 'kruise',
        onWritten: () => undefined,
        observed: { versions: new Map([[resources.Pod, 7]]) },
        onNameTaken: () => undefined,
        onRefused: async () => undefined,
      }),
    ).rejects.toBe(broken);
  });
});

test('a deletion says what becomes of the objects of a child, where its kind would orphan them', async () => {
  const { run, user } = bench();
  const asked: unknown[] = [];
  const object = await user.create(resources.Pod, pod('p0'));
  const { name, uid = '', resourceVersion = '' } = object.metadata;
  const deletion = {
    do: 'delete',
    kind: 'Pod',
    verb: 'delete',
    name,
    uid,
    resourceVersion,
    reason: 'a test',
  } as const;
  const instead: Partial<Cluster> = {
    delete: async (_resource, _at, options) => {
      asked.push(options);
      return Promise.resolve(object);
    },
  };
  await run([deletion, { ...deletion, propagationPolicy: 'Background' }], instead);
  expect(asked).toEqual([
    { uid, resourceVersion },
    { uid, resourceVersion, propagationPolicy: 'Background' },
  ]);
});

describe('an action that deletes the target itself', () => {
  const set = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
    },
  };
  const deletion = ({ metadata }: KubeObject): Action => ({
    do: 'delete',
    kind: 'Target',
    resource: resources.CloneSet,
    verb: 'delete after its TTL',
    reason: 'it is over',
    name: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
  });

  test('is sent with the uid and version that it was decided on', async () => {
    const { user, world, run } = bench();
    const stored = await user.create(resources.CloneSet, set);
    const at = { namespace: 'shop', name: 'web' };
    await user.patch(resources.CloneSet, at, { type: 'merge', body: { spec: { replicas: 3 } } });
    expect(await run([deletion(stored)])).toMatchObject({ conflicts: 1 });
    const changed = await user.get(resources.CloneSet, at);
    expect(
      await run([deletion({ ...changed, metadata: { ...changed.metadata, uid: 'another' } })]),
    ).toMatchObject({ conflicts: 1 });
    expect(await run([deletion(changed)])).toMatchObject({ conflicts: 0 });
    expect((await user.list(resources.CloneSet)).items).toEqual([]);
    world.stop();
  });
});
