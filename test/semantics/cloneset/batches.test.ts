import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { inPlaceState } from '../../../semantics/pod/in-place-state.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { actions, change } from './midway.ts';
import { catchUp, createModel, type Model, NOON } from './model.ts';

/** Containers of launch priority 10 and 0. */
const images = (proxy: string, app: string): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      { name: 'app', image: app },
      { name: 'proxy', image: proxy, env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '10' }] },
    ],
  },
});

/** One available pod on proxy:1 and app:1. */
function settled(strategy: JsonObject = {}): Model {
  const model = createModel({ spec: { replicas: 1 }, strategy, template: images('proxy:1', 'app:1') });
  model.run();
  catchUpAll(model);
  model.run();
  catchUpAll(model);
  model.run();
  for (const action of model.snapshot().complete(model.goal(), undefined)) model.apply(action);
  return model;
}

function catchUpAll(model: Model): void {
  model.now += 1_000;
  model.pods = model.pods.map((each) => {
    const pod = catchUp(each, model.now);
    const statuses = (pod.status?.containerStatuses ?? []).map((status) => ({
      ...status,
      state: { running: {} },
    }));
    return { ...pod, status: { ...pod.status, containerStatuses: statuses } };
  });
}

/** The kubelet acts, but this container does not become ready. */
function unready(model: Model, container: string): void {
  catchUpAll(model);
  model.pods = model.pods.map((pod) => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: (pod.status?.containerStatuses ?? []).map((status) =>
        status.name === container ? { ...status, ready: false } : status,
      ),
    },
  }));
}

const only = (model: Model): Pod => model.pods[0] as Pod;
const stateOf = (model: Model) => inPlaceState(only(model));
const imagesOf = (model: Model): string =>
  only(model)
    .spec.containers.map(({ image }) => image)
    .join(' ');
const verbs = (model: Model): string[] => actions(model).map((text) => text.replace(/ web-.*/, ''));

/** Drained, and the first batch written. */
function begun(model: Model, proxy = 'proxy:2', app = 'app:2'): Model {
  model.setTemplate(images(proxy, app));
  model.run({}, 1);
  model.now += 1_000;
  model.run({}, 1);
  return model;
}

describe('containers of other launch priorities, one batch after the other (OpenKruise inplace-update, rules 6.4 and 6.5)', () => {
  test('the highest first, the others when that is ready (IU-13, LP-19)', () => {
    const model = begun(settled());
    expect(imagesOf(model)).toBe('app:1 proxy:2');
    expect(stateOf(model)).toMatchObject({
      nextContainerImages: { app: 'app:2' },
      preCheckBeforeNext: { containersRequiredReady: ['proxy'] },
      lastContainerStatuses: { proxy: { imageID: 'proxy:1@sha256' } },
    });
    expect(verbs(model)).toEqual([]);
    unready(model, 'proxy');
    expect(verbs(model)).toEqual([]);
    catchUpAll(model);
    expect(verbs(model)).toEqual(['update next containers']);
    model.run({}, 1);
    expect(imagesOf(model)).toBe('app:2 proxy:2');
    expect(model.available(only(model))).toBe(false);
    catchUpAll(model);
    expect(verbs(model)).toEqual(['set InPlaceUpdateReady=True']);
    const state = stateOf(model);
    expect(state?.containerBatchesRecord?.map(({ containers }) => containers)).toEqual([['proxy'], ['app']]);
    expect(state).not.toHaveProperty('nextContainerImages');
    expect(state).not.toHaveProperty('preCheckBeforeNext');
    expect(Object.keys(state?.lastContainerStatuses ?? {}).sort()).toEqual(['app', 'proxy']);
  });

  test('the time of the update is that of its first batch (IU-22)', () => {
    const model = begun(settled());
    const at = stateOf(model)?.updateTimestamp;
    catchUpAll(model);
    model.now += 60_000;
    model.run({}, 1);
    expect(stateOf(model)?.updateTimestamp).toBe(at);
    expect(stateOf(model)?.containerBatchesRecord?.map(({ timestamp: each }) => each)).toEqual([
      at,
      timestamp(model.now),
    ]);
  });

  test('the first one is broken: one batch is recorded, and the other one is still to come (IU-14)', () => {
    const model = begun(settled());
    for (let i = 0; i < 3; i++) {
      unready(model, 'proxy');
      model.run({}, 2);
    }
    expect(stateOf(model)?.containerBatchesRecord).toHaveLength(1);
    expect(stateOf(model)?.nextContainerImages).toEqual({ app: 'app:2' });
    expect(imagesOf(model)).toBe('app:1 proxy:2');
  });

  test('fixed in the middle: the deferred change comes with it', () => {
    const model = begun(settled());
    unready(model, 'proxy');
    // The other container is not part of this change any more: the pod has the labels of it.
    begun(model, 'proxy:3', 'app:2');
    expect(imagesOf(model)).toBe('app:1 proxy:3');
    expect(stateOf(model)?.nextContainerImages).toEqual({ app: 'app:2' });
    for (let i = 0; i < 4; i++) {
      catchUpAll(model);
      model.run({}, 2);
    }
    expect(imagesOf(model)).toBe('app:2 proxy:3');
    expect(model.available(only(model))).toBe(true);
  });

  test.each([
    ['labels alone', 'app:2', { team: 'a' }],
    ['a container of a later batch', 'app:3', {}],
  ])('changed in the middle, %s: the update still waits for the first batch', (_what, app, labels) => {
    const model = begun(settled());
    unready(model, 'proxy');
    const wanted = images('proxy:2', app) as { metadata: { labels: object } };
    model.setTemplate({ ...wanted, metadata: { labels: { ...wanted.metadata.labels, ...labels } } });
    model.run({}, 2);
    expect(only(model).metadata.labels).toMatchObject(labels);
    expect(imagesOf(model)).toBe('app:1 proxy:2');
    expect(stateOf(model)).toMatchObject({
      nextContainerImages: { app },
      preCheckBeforeNext: { containersRequiredReady: ['proxy'] },
    });
    unready(model, 'proxy');
    model.now += 60_000;
    expect(verbs(model)).toEqual([]);
    catchUpAll(model);
    expect(verbs(model)).toEqual(['update next containers']);
    model.run({}, 1);
    catchUpAll(model);
    expect(verbs(model)).toEqual(['set InPlaceUpdateReady=True']);
    expect(imagesOf(model)).toBe(`${app} proxy:2`);
    model.run({}, 1);
    expect(model.snapshot().rollout.pods[0]?.restarts).toBe(0);
  });

  test('changed when the first batch is ready: the next one comes with it', () => {
    const model = begun(settled());
    catchUpAll(model);
    const wanted = images('proxy:2', 'app:2') as { metadata: { labels: object } };
    model.setTemplate({ ...wanted, metadata: { labels: { ...wanted.metadata.labels, team: 'a' } } });
    model.run({}, 1);
    expect(imagesOf(model)).toBe('app:2 proxy:2');
    expect(stateOf(model)).not.toHaveProperty('nextContainerImages');
  });

  test('what OpenKruise has deferred comes with a later change: metadata of every container; without pods/resize, resources stay and are reported', () => {
    const model = begun(settled());
    model.canResize = false;
    const state = stateOf(model);
    const resources = { app: { limits: { cpu: '2' } } };
    const own = { labels: { tier: 'b' }, annotations: { note: 'x' } };
    change(model, only(model).metadata.name, (pod) => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: {
          ...pod.metadata.annotations,
          'apps.kruise.io/inplace-update-state': JSON.stringify({
            ...state,
            nextContainerRefMetadata: { own },
            nextContainerResources: resources,
          }),
        },
      },
    }));
    const wanted = images('proxy:2', 'app:2') as { metadata: { labels: object } };
    model.setTemplate({ ...wanted, metadata: { labels: { ...wanted.metadata.labels, team: 'a' } } });
    model.run({}, 1);
    expect(only(model).metadata.labels).toMatchObject({ team: 'a', tier: 'b' });
    expect(only(model).metadata.annotations).toMatchObject({ note: 'x' });
    expect(stateOf(model)?.nextContainerResources).toEqual(resources);
    expect(model.decide().explanations.map(({ reason }) => reason)).toEqual([
      'stays out of traffic: its annotation apps.kruise.io/inplace-update-state asks for other resources, and this cluster does not let the runtime patch pods/resize',
    ]);
  });

  test('reverted in the middle: everything is as it was', () => {
    const model = begun(settled());
    unready(model, 'proxy');
    begun(model, 'proxy:1', 'app:1');
    for (let i = 0; i < 6; i++) {
      catchUpAll(model);
      model.run({}, 2);
    }
    expect(imagesOf(model)).toBe('app:1 proxy:1');
    expect(model.available(only(model))).toBe(true);
  });

  test('the annotation alone is enough to continue: nothing else records it (IU-47)', () => {
    const model = begun(settled());
    const later = createModel({ spec: { replicas: 1 }, template: images('proxy:2', 'app:2') });
    Object.assign(later, {
      target: model.target,
      revisions: model.revisions,
      pods: model.pods,
      now: model.now,
    });
    catchUpAll(later);
    expect(verbs(later)).toEqual(['update next containers']);
  });

  test('restarts of later batches are those of the update', () => {
    const model = begun(settled());
    for (let i = 0; i < 3; i++) {
      catchUpAll(model);
      model.run({}, 1);
    }
    expect(only(model).status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
    expect(model.snapshot().rollout.pods[0]?.restarts).toBe(0);
  });

  test('a grace period comes before the first batch only', () => {
    const model = settled({ inPlaceUpdateStrategy: { gracePeriodSeconds: 20 } });
    model.setTemplate(images('proxy:2', 'app:2'));
    model.run({}, 1);
    expect(verbs(model)).toEqual([]);
    model.now += 20_000;
    expect(verbs(model)).toEqual(['update in place']);
    model.run({}, 1);
    catchUpAll(model);
    expect(verbs(model)).toEqual(['update next containers']);
  });
});

describe('a grace period that OpenKruise has started', () => {
  const grace = { revision: '', containerImages: { app: 'app:2', proxy: 'proxy:2' }, graceSeconds: 30 };

  /** The pod has the labels of the second revision and the images of the first; then comes a third. */
  function inGrace(keys: { state: string; grace: string }): Model {
    const model = settled();
    model.setTemplate(images('proxy:2', 'app:2'));
    model.decide();
    const second = model.revisions.at(-1)?.metadata.name ?? '';
    change(model, only(model).metadata.name, (pod) => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        labels: { ...pod.metadata.labels, 'controller-revision-hash': second },
        annotations: {
          ...pod.metadata.annotations,
          [keys.state]: JSON.stringify({
            revision: second,
            updateTimestamp: timestamp(model.now),
            lastContainerStatuses: null,
          }),
          [keys.grace]: JSON.stringify({ ...grace, revision: second }),
        },
      },
    }));
    return model;
  }
  const keys = {
    now: { state: 'apps.kruise.io/inplace-update-state', grace: 'apps.kruise.io/inplace-update-grace' },
    once: { state: 'inplace-update-state', grace: 'inplace-update-grace' },
  };

  test('a template that changes again does not update the pod until it is over (IU-12)', () => {
    const model = inGrace(keys.now);
    model.setTemplate(images('proxy:3', 'app:3'));
    model.decide();
    model.now += 29_000;
    expect(verbs(model)).toEqual([]);
    model.now += 1_000;
    expect(verbs(model)).toEqual(['end grace period']);
    model.run({}, 1);
    expect(imagesOf(model)).toBe('app:1 proxy:2');
    for (let i = 0; i < 6; i++) {
      catchUpAll(model);
      model.run({}, 2);
    }
    expect(imagesOf(model)).toBe('app:3 proxy:3');
  });

  test('annotations with old names are read, and removed with the next write', () => {
    const model = inGrace(keys.once);
    model.now = NOON + 120_000;
    expect(verbs(model)).toEqual(['end grace period']);
    model.run({}, 1);
    const { annotations = {} } = only(model).metadata;
    expect(Object.keys(annotations).filter((key) => key.includes('inplace-update'))).toEqual([
      keys.now.state,
    ]);
    expect(stateOf(model)?.nextContainerImages).toEqual({ app: 'app:2' });
  });
});
