import { describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../../schemas/generated/types/cloneset.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { advance } from '../../../semantics/plan/advance.ts';
import { heldEvent } from '../../../semantics/plan/held-condition.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { input } from '../plan/rollout.ts';
import { actions, change, midway, NEW, OLD } from './midway.ts';
import { type Model, NOON, runningPod } from './model.ts';

const GRACE = 'apps.kruise.io/inplace-update-grace';
const STATE = 'apps.kruise.io/inplace-update-state';

/** A pod with the labels of the new revision and the annotations of an update by OpenKruise; its grace period is over. */
function unfinished(
  annotations: (revision: string) => Record<string, unknown>,
  spec: JsonObject = {},
): Model {
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

function reported(model: Model) {
  const decision = model.decide();
  const { rollout } = model.snapshot();
  const result = advance(input({ view: rollout, plans: [], memory: [], policy: 'Auto', now: model.now }));
  const held = heldReason(rollout, result, []);
  return { ...decision, status: decision.status as CloneSetStatus, held, rows: rollout.pods };
}

describe('an update that OpenKruise has started and that can never finish', () => {
  test.each([
    ['text', () => ({ [GRACE]: 'soon' }), `its annotation ${GRACE} cannot be read`],
    [
      'an old name',
      () => ({ 'inplace-update-grace': '[]' }),
      'its annotation inplace-update-grace cannot be read',
    ],
    [
      'no state annotation',
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
      `its annotation ${GRACE} asks for other resources, and this cluster does not let the runtime patch pods/resize`,
    ],
    [
      'resources in the next batch',
      (to: string) => ({ [STATE]: state(to, { nextContainerResources: resources }) }),
      `its annotation ${STATE} asks for other resources, and this cluster does not let the runtime patch pods/resize`,
    ],
  ])('%s: the message names the pod, the annotation, and what to do', (_case, annotations, why) => {
    const model = unfinished(annotations);
    model.canResize = false;
    expect(actions(model)).toEqual([]);
    const { explanations, status, held, rows } = reported(model);
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
      message: `pod a stays out of traffic, and its update cannot finish: ${why}. Fix the annotation, or replace the pod: kubectl delete pod -n shop a`,
    });
    expect(heldEvent(model.target, held)).toMatchObject({ type: 'Warning', reason: 'Held' });
    // The step that waits for it has the reason, too.
    expect(rows.map(({ problem }) => problem)).toEqual([why, why]);
  });

  test.each([
    [
      'after the grace period',
      (to: string) => ({ [STATE]: state(to), [GRACE]: grace(to, { containerResources: resources }) }),
    ],
    ['in the next batch', (to: string) => ({ [STATE]: state(to, { nextContainerResources: resources }) })],
  ])('resources %s are resized, and the pod continues', (_case, annotations) => {
    const model = unfinished(annotations);
    expect(actions(model)).toEqual(['resize b', 'resize a']);
    expect(reported(model).explanations).toEqual([]);
    model.run({}, 1);
    expect(model.pods.find(({ metadata }) => metadata.name === 'a')?.spec.containers).toMatchObject([
      { name: 'main', resources: { limits: { cpu: '2' } } },
    ]);
  });

  test.each([
    ['it is valid and will end', (to: string) => ({ [STATE]: state(to), [GRACE]: grace(to) })],
    [
      'the pod has another revision by now',
      () => ({ [STATE]: state('web-x'), [GRACE]: grace('web-x', { containerResources: resources }) }),
    ],
    ['the state alone is invalid, which counts as none', () => ({ [STATE]: 'soon' })],
    ['an empty annotation', () => ({ [GRACE]: '' })],
  ])('nothing is reported if %s', (_case, annotations) => {
    const { explanations, status, held } = reported(unfinished(annotations));
    expect([explanations, status.conditions, held]).toEqual([[], undefined, undefined]);
  });

  test('once it is fixed, it continues and nothing is reported any more', () => {
    const model = unfinished(() => ({ [GRACE]: 'soon' }));
    model.target = { ...model.target, status: reported(model).status };
    for (const name of ['a', 'b']) {
      change(model, name, (pod) => {
        const to = pod.metadata.labels?.['controller-revision-hash'] ?? '';
        const annotations = { [STATE]: JSON.stringify(state(to)), [GRACE]: JSON.stringify(grace(to)) };
        return { ...pod, metadata: { ...pod.metadata, annotations } };
      });
    }
    expect(actions(model)).toEqual(['end grace period b', 'end grace period a']);
    expect([reported(model).held, reported(model).status.conditions]).toEqual([undefined, undefined]);
  });

  test('if the claims are deleted with the pod, the message warns about that', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }];
    const annotations = (): object => ({ [GRACE]: 'soon' });
    const message = (disablePVCReuse: boolean): string | undefined =>
      reported(
        unfinished(annotations as () => Record<string, unknown>, {
          volumeClaimTemplates,
          scaleStrategy: { disablePVCReuse },
        }),
      ).held?.message;
    expect(message(true)).toMatch(
      /replace the pod, which deletes its claims and their data too: kubectl delete pod -n shop a$/,
    );
    expect(message(false)).toMatch(/kubectl delete pod -n shop a$/);
  });
});
