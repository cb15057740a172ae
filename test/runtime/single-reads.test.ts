import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createReflector } from '../../runtime/observe/reflector.ts';
import { ApiError, type Cluster, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

const AT = { namespace: 'shop', name: 'a' };
const KEY = 'shop/a';

function revision(version: number): KubeObject {
  return {
    ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: 1 },
    metadata: { ...AT, uid: 'u', resourceVersion: String(version) },
  };
}

/**
 * A reflector that lets nothing in before `open`, the end of its watch, and reads that are answered by hand: by a version, 0 for an
 * object that does not exist, or an error.
 */
async function stage() {
  const clock = createVirtualClock(0);
  const user = createWorld({ clock, namespaces: ['shop'] }).cluster('user');
  const answers: ((version: number | Error) => void)[] = [];
  let sink: WatchSink | undefined;
  let lists = 0;
  let isOpen = false;
  const cluster: Cluster = {
    ...user,
    list: async (...args) => {
      lists += 1;
      return user.list(...args);
    },
    watch: (resource, options, into) => {
      sink = into;
      return user.watch(resource, options, into);
    },
    get: async () =>
      new Promise((resolve, reject) =>
        answers.push((version) => {
          if (typeof version !== 'number') reject(version);
          else if (version > 0) resolve(revision(version));
          else reject(new ApiError({ code: 404, reason: 'NotFound', message: 'not there' }));
        }),
      ),
  };
  const reported: string[] = [];
  const reflector = createReflector({
    ...{ cluster, clock, resource: resources.ControllerRevision, onSync: () => {} },
    transform: (object) => (isOpen ? object : undefined),
    onChange: ({ metadata }, gone) => reported.push(`${gone ? '-' : '+'}${metadata.resourceVersion ?? ''}`),
  });
  reflector.start();
  await clock.advance(1_000);
  const shownBy: number[] = [];
  return {
    reflector,
    reported,
    lists: () => lists,
    shownBy,
    relist: async () => {
      reflector.relist();
      await clock.advance(1_000);
    },
    open: () => {
      isOpen = true;
      reflector.read(AT, (ordinal) => shownBy.push(ordinal));
    },
    answer: async (version: number | Error) => {
      answers.shift()?.(version);
      await clock.advance(1_000);
    },
    event: (type: 'MODIFIED' | 'DELETED', version: number) =>
      sink?.onEvent({ type, object: revision(version) }),
    version: () => Number(reflector.get(KEY)?.metadata.resourceVersion ?? 0),
  };
}

test('an object that is read is stored, without a list', async () => {
  const { open, answer, reported, version, shownBy, lists } = await stage();
  open();
  expect(shownBy).toEqual([]);
  await answer(50);
  expect([version(), reported, shownBy, lists()]).toEqual([50, ['+50'], [0], 1]);
});

test('events from before the read change nothing, later ones do', async () => {
  const { open, answer, event, version, reported } = await stage();
  open();
  await answer(50);
  event('MODIFIED', 49);
  event('DELETED', 48);
  expect(version()).toBe(50);
  event('MODIFIED', 51);
  event('DELETED', 52);
  expect([version(), reported]).toEqual([0, ['+50', '+51', '-52']]);
});

test('an answer that an event has overtaken is not stored', async () => {
  const { open, answer, event, version, shownBy } = await stage();
  open();
  event('MODIFIED', 60);
  await answer(50);
  expect([version(), shownBy]).toEqual([60, [0]]);
  open();
  event('DELETED', 70);
  await answer(60);
  expect([version(), shownBy]).toEqual([0, [0, 0]]);
});

test('an answer that a list has overtaken is not stored, and another list follows', async () => {
  const { open, answer, relist, version, shownBy, lists, reflector } = await stage();
  open();
  await relist();
  await answer(50);
  expect([version(), shownBy, lists(), reflector.listed]).toEqual([0, [3], 3, 3]);
});

test('an object that does not exist is stored no longer', async () => {
  const { open, answer, event, version, reported, shownBy, lists } = await stage();
  open();
  event('MODIFIED', 60);
  await answer(60);
  open();
  await answer(0);
  expect([version(), reported, shownBy, lists()]).toEqual([0, ['+60', '-60'], [0, 0], 1]);
});

test('one that cannot be read is listed, and so is each while no watch is open', async () => {
  const { open, answer, shownBy, lists, reflector } = await stage();
  open();
  await answer(new Error('lost'));
  expect([shownBy, lists()]).toEqual([[2], 2]);
  reflector.relist();
  open();
  await answer(50);
  expect([shownBy, lists(), reflector.listed]).toEqual([[2, 4], 4, 4]);
});
