import { describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../../schemas/generated/types/cloneset.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { advance } from '../../../semantics/plan/advance.ts';
import { heldEvent, heldReason } from '../../../semantics/plan/held.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { input } from '../plan/rollout.ts';
import { actions, change, midway, NEW, OLD } from './midway.ts';
import { type Model, NOON, runningPod } from './model.ts';

const GRACE = 'apps.kruise.io/inplace-update-grace';
const STATE = 'apps.kruise.io/inplace-update-state';

/** A pod whose labels say the new revision, with the annotations of an update that OpenKruise has begun; the hour is over. */
function halfWay(annotations: (revision: string) => Record<string, unknown>, spec: JsonObject = {}): Model {
  const model = midway(1, 0, { spec: { replicas: 2, ...spec } });
  model.pods.push(runningPod(model, NEW, 'b'), runningPod(model, NEW, 'a'));
  model.pods = model.pods.filter(({ metadata }) => metadata.name !== 'o0');
  for (const name of ['a', 'b']) {
    change(model, name, (pod) => {
      const revision = pod.metadata.labels?.['controller-revision-hash'] ?? '';
      const texts = Object.entries(annotations(revision)).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      const [container] = pod.spec.containers;
      return {
        ...pod,
        metadata: { ...pod.metadata, annotations: Object.fromEntries(texts) as Record<string, string> },
        spec: { ...pod.spec, containers: [{ ...container, name: 'main', image: OLD }] },
      };
    });
  }
  return model;
}

const state = (revision: string, more: object = {}): object => ({
  revision,
  updateTimestamp: timestamp(NOON - 3_600_000),
  lastContainerStatuses: null,
  ...more,
});
const grace = (revision: string, more: object = {}): object => ({
  revision,
  containerImages: { main: NEW },
  graceSeconds: 30,
  ...more,
});
const resources = { main: { limits: { cpu: '2' } } };

function told(model: Model) {
  const decision = model.decide();
  const { rollout } = model.snapshot();
  const result = advance(input({ view: rollout, plans: [], memory: [], policy: 'Auto', now: model.now }));
  const held = heldReason(rollout, result, []);
  return { ...decision, status: decision.status as CloneSetStatus, held, rows: rollout.pods };
}

describe('an update that OpenKruise has begun and nobody here can end', () => {
  test.each([
    ['text', () => ({ [GRACE]: 'soon' }), `its annotation ${GRACE} cannot be read`],
    [
      'an old name',
      () => ({ 'inplace-update-grace': '[]' }),
      'its annotation inplace-update-grace cannot be read',
    ],
    [
      'no state beside it',
      (to: string) => ({ [GRACE]: grace(to) }),
      `its annotation ${STATE} is missing or cannot be read, and ${GRACE} needs it`,
    ],
    [
      'metadata that is no base64',
      (to: string) => ({ [STATE]: state(to), [GRACE]: grace(to, { metaDataPatch: '{' }) }),
      `metaDataPatch of its annotation ${GRACE} cannot be read`,
    ],
    [
      'resources after the grace period',
      (to: string) => ({ [STATE]: state(to), [GRACE]: grace(to, { containerResources: resources }) }),
      `its annotation ${GRACE} asks for other resources, which are not changed here`,
    ],
    [
      'resources in the next batch',
      (to: string) => ({ [STATE]: state(to, { nextContainerResources: resources }) }),
      `its annotation ${STATE} asks for other resources, which are not changed here`,
    ],
  ])('%s: the target says which pod, which annotation, and what to do', (_case, annotations, why) => {
    const model = halfWay(annotations);
    expect(actions(model)).toEqual([]);
    const { explanations, status, held, rows } = told(model);
    expect(explanations).toEqual(
      ['b', 'a'].map((name) => ({
        about: name,
        reason: `stays out of traffic: ${why}`,
        failure: `the update of pod ${name} cannot finish: ${why}`,
      })),
    );
    expect(status.conditions?.map(({ type, message }) => [type, message])).toEqual([
      ['FailedUpdate', `the update of pod a cannot finish: ${why}`],
    ]);
    expect(held).toEqual({
      reason: 'FailedUpdate',
      message: `pod a stays out of traffic, and its update cannot finish: ${why}; fix the annotation, or replace the pod: kubectl delete pod -n shop a`,
    });
    expect(heldEvent(model.target, held)).toMatchObject({ type: 'Warning', reason: 'Held' });
    // What a step waits for in vain says why, too.
    expect(rows.map(({ problem }) => problem)).toEqual([why, why]);
  });

  test.each([
    ['it is read and will end', (to: string) => ({ [STATE]: state(to), [GRACE]: grace(to) })],
    [
      'the pod goes another way by now',
      () => ({ [STATE]: state('web-x'), [GRACE]: grace('web-x', { containerResources: resources }) }),
    ],
    ['the state alone is not readable, which counts as none', () => ({ [STATE]: 'soon' })],
    ['an empty annotation', () => ({ [GRACE]: '' })],
  ])('nothing is said where %s', (_case, annotations) => {
    const { explanations, status, held } = told(halfWay(annotations));
    expect([explanations, status.conditions, held]).toEqual([[], undefined, undefined]);
  });

  test('once it is mended, it goes on and nothing is said any more', () => {
    const model = halfWay(() => ({ [GRACE]: 'soon' }));
    model.target = { ...model.target, status: told(model).status };
    for (const name of ['a', 'b']) {
      change(model, name, (pod) => {
        const to = pod.metadata.labels?.['controller-revision-hash'] ?? '';
        const annotations = { [STATE]: JSON.stringify(state(to)), [GRACE]: JSON.stringify(grace(to)) };
        return { ...pod, metadata: { ...pod.metadata, annotations } };
      });
    }
    expect(actions(model)).toEqual(['end grace period b', 'end grace period a']);
    expect([told(model).held, told(model).status.conditions]).toEqual([undefined, undefined]);
  });

  test('where the claims go with a pod, that is said before anybody deletes it', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }];
    const annotations = (): object => ({ [GRACE]: 'soon' });
    const message = (disablePVCReuse: boolean): string | undefined =>
      told(
        halfWay(annotations as () => Record<string, unknown>, {
          volumeClaimTemplates,
          scaleStrategy: { disablePVCReuse },
        }),
      ).held?.message;
    expect(message(true)).toMatch(
      /kubectl delete pod -n shop a; this deletes its claims and their data too$/,
    );
    expect(message(false)).toMatch(/kubectl delete pod -n shop a$/);
  });
});
