import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Node } from '../../../semantics/node/node.ts';
import type { Advance } from '../../../semantics/plan/advance.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { pullActions } from '../../../semantics/plan/pulls.ts';
import type { PullContext } from '../../../semantics/plan/rollout-context.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { PreDownload } from '../../../semantics/plan/units.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { pullOf } from '../../../semantics/pull/pod.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { historyOf, type Model } from '../cloneset/model.ts';
import { midway, NEW, OLD } from '../cloneset/midway.ts';
import { nodeOf, NOW, owner, podOf, REFUSED, STARTED, workOf } from '../pull/fleet.ts';
import { type Given, podsOf, revisionsOf, targetOf } from '../statefulset/model.ts';

const ASKS: Record<string, string> = { 'plan.kruise.io/image-predownload': 'true' };
const PREFIX = 'apps.kruise.io/image-predownload-';

interface Asked {
  replicas?: number;
  /** Pods that are updated already. */
  fresh?: number;
  annotations?: Record<string, string>;
  strategy?: JsonObject;
}

function cloneSet({ replicas = 5, fresh = 0, annotations = ASKS, strategy = {} }: Asked = {}): RolloutView {
  const model = midway(replicas - fresh, fresh, { spec: { replicas }, strategy });
  return viewOf(model, annotations);
}

function viewOf(model: Model, annotations = ASKS): RolloutView {
  model.target = { ...model.target, metadata: { ...model.target.metadata, annotations } };
  return model.snapshot().rollout;
}

function statefulSet(given: Given, annotations: Record<string, string> = ASKS): RolloutView {
  const target = targetOf(given);
  const pods = podsOf(given).map((pod): Pod => ({
    ...pod,
    spec: { ...pod.spec, nodeName: `node-${pod.metadata.name}` },
  }));
  return statefulSetKind.observe({
    target: { ...target, metadata: { ...target.metadata, annotations } },
    pods,
    revisions: revisionsOf(given),
    takenNames: new Set(),
    now: NOW,
  }).rollout;
}

/** Without a plan, in Auto. */
const auto = (view: RolloutView, more: Partial<Envelope> = { ownStrategy: true }): Advance =>
  ({ envelope: { goal: view.liveHash, ...more } }) as Advance;

interface Seen {
  nodes?: readonly Node[] | 'pending' | { refused: string };
  pods?: readonly Pod[];
  envelope?: Partial<Envelope>;
}

/** `+node-o0 1`: creates the first attempt there; `-name`: deletes a pod. */
function actions(view: RolloutView, { nodes = allNodes(view), pods = [], envelope }: Seen = {}): string[] {
  const context: PullContext = { nodes: () => nodes, pods, owner };
  return pullActions(view, auto(view, envelope), context, NOW).actions.map((action) => {
    if (action.do !== 'create') return action.do === 'delete' ? `-${action.name}` : action.do;
    const { node, attempt } = pullOf(action.object);
    return `+${node} ${attempt}`;
  });
}

/** What a target asks to be pulled ahead; undefined: nothing. */
function pulled({ units }: RolloutView): PreDownload | undefined {
  return units.of === 'owned' ? units.preDownload : undefined;
}

function allNodes({ pods }: RolloutView): Node[] {
  return pods.map(({ node = '' }) => nodeOf(node));
}

describe('images that are pulled ahead of an update in place (OpenKruise inplace-update, rule 6.13)', () => {
  test('CS-46, IU-43: for more than three replicas, with the settings of the object', () => {
    expect(pulled(cloneSet({ replicas: 3 }))).toBeUndefined();
    expect(pulled(cloneSet({ replicas: 4 }))).toEqual({
      images: [NEW],
      parallelism: 1,
      attemptMs: 300_000,
      minUpdatedReady: 0,
    });
    const annotations = {
      ...ASKS,
      [`${PREFIX}parallelism`]: '2',
      [`${PREFIX}timeout-seconds`]: '60',
      [`${PREFIX}min-updated-ready-pods`]: '1',
    };
    const asked = cloneSet({ annotations, strategy: { partition: 1 } });
    expect(pulled(asked)).toEqual({
      images: [NEW],
      parallelism: 2,
      attemptMs: 60_000,
      minUpdatedReady: 1,
    });
  });

  test('CS-46: the fields of v1beta1 come before the annotations, and a percentage is no number of them', () => {
    const fields = { imagePreDownloadParallelism: 3, imagePreDownloadTimeoutSeconds: 30 };
    const strategy = { rollingUpdate: { inPlaceUpdateStrategy: fields } };
    const annotations = {
      ...ASKS,
      [`${PREFIX}parallelism`]: '2',
      [`${PREFIX}timeout-seconds`]: 'soon',
      [`${PREFIX}min-updated-ready-pods`]: '50%',
    };
    expect(pulled(cloneSet({ annotations, strategy }))).toMatchObject({
      ...{ parallelism: 3, attemptMs: 30_000, minUpdatedReady: 0 },
    });
    expect(pulled(cloneSet({ annotations }))).toMatchObject({ parallelism: 2, attemptMs: 300_000 });
  });

  test('not without the annotation', () => {
    expect(pulled(cloneSet({ annotations: {} }))).toBeUndefined();
    expect(
      pulled(cloneSet({ annotations: { 'plan.kruise.io/image-predownload': 'false' } })),
    ).toBeUndefined();
  });

  test.each<[what: string, strategy: JsonObject, pulls: boolean]>([
    ['all at once', { maxUnavailable: '100%' }, false],
    ['all at once, but for a partition', { maxUnavailable: '100%', partition: 1 }, true],
    ['a percentage that rounds down below all', { maxUnavailable: '90%' }, true],
    ['pods are recreated', { type: 'ReCreate' }, false],
    ['in place only', { type: 'InPlaceOnly' }, true],
    ['OnDelete', { type: 'OnDelete' }, false],
  ])('IU-45: %s', (_, strategy, pulls) => {
    expect(pulled(cloneSet({ strategy })) !== undefined).toBe(pulls);
  });

  test('not for a change that recreates pods, and not for one without another image', () => {
    const changed = (spec: JsonObject): RolloutView => {
      const model = historyOf([OLD], { spec: { replicas: 5 }, stable: OLD });
      const template = { metadata: { labels: { app: 'web', ...(spec['labels'] as object) } } };
      model.setTemplate({
        ...template,
        spec: { containers: [{ name: 'main', image: OLD, ...(spec['main'] as object) }] },
      });
      model.decide();
      return viewOf(model);
    };
    expect(pulled(changed({ labels: { track: 'blue' } }))).toBeUndefined();
    expect(pulled(changed({ main: { image: NEW, env: [{ name: 'LOG', value: 'debug' }] } }))).toBeUndefined();
    expect(pulled(changed({ main: { image: NEW } }))?.images).toEqual([NEW]);
  });

  test('AS-58, IU-43: a StatefulSet alike, and its percentage of updated pods rounds up', () => {
    const four = { replicas: 4, pods: '0 1 2 3', max: 1 };
    expect(pulled(statefulSet({ ...four, replicas: 3, pods: '0 1 2' }))).toBeUndefined();
    const inPlace = { ...four, rolling: { podUpdatePolicy: 'InPlaceIfPossible' } };
    expect(pulled(statefulSet(four))).toBeUndefined();
    const annotations = { ...ASKS, [`${PREFIX}min-updated-ready-pods`]: '30%' };
    expect(pulled(statefulSet(inPlace, annotations))).toEqual({
      ...{ images: ['web:2'], parallelism: 1, attemptMs: 300_000, minUpdatedReady: 2 },
    });
    expect(actions(statefulSet(inPlace))).toEqual(['+node-web-0 1']);
  });
});

describe('the pods that pull', () => {
  test('are on the nodes of pods that are to be updated, by name', () => {
    const annotations = { ...ASKS, [`${PREFIX}parallelism`]: '9' };
    expect(actions(cloneSet({ fresh: 2, annotations }))).toEqual(['+node-o0 1', '+node-o1 1', '+node-o2 1']);
    expect(actions(cloneSet({ fresh: 2 }))).toEqual(['+node-o0 1']);
  });

  test('IU-44: not before as many pods as wanted are updated and ready', () => {
    const annotations = { ...ASKS, [`${PREFIX}min-updated-ready-pods`]: '2' };
    expect(actions(cloneSet({ fresh: 1, annotations }))).toEqual([]);
    expect(actions(cloneSet({ fresh: 2, annotations }))).toEqual(['+node-o0 1']);
  });

  test('IU-43: are deleted when their node needs them no more, and when the update is over', () => {
    const view = cloneSet();
    const work = workOf({ key: `ahead-${view.liveHash.replace(':', '')}` });
    const done = podOf('node-o0', [STARTED], { work });
    const gone = podOf('node-x', [STARTED], { work });
    expect(actions(view, { pods: [done, gone] })).toEqual([`-${gone.metadata.name}`, '+node-o1 1']);
    const over = cloneSet({ fresh: 5 });
    expect(actions(over, { pods: [done] })).toEqual([`-${done.metadata.name}`]);
  });

  test('are two on a node that fails, and hold nothing up', () => {
    const view = cloneSet();
    const work = workOf({ key: `ahead-${view.liveHash.replace(':', '')}` });
    const failed = (attempt: number): Pod => podOf('node-o0', [REFUSED], { work, attempt, ageMs: 90_000 });
    expect(actions(view, { pods: [failed(1)] })).toEqual(['+node-o0 2']);
    expect(actions(view, { pods: [failed(2)] })).toEqual(['+node-o1 1']);
  });

  test('are none under a plan, and while the target is held', () => {
    expect(actions(cloneSet(), { envelope: {} })).toEqual([]);
    expect(actions(cloneSet(), { envelope: { ownStrategy: true, goal: 'h1:other' } })).toEqual([]);
  });

  test('wait for the list of nodes, and do without it where nodes may not be listed', () => {
    const view = cloneSet();
    const pods = [podOf('node-o0', [STARTED])];
    expect(actions(view, { nodes: 'pending', pods })).toEqual([]);
    expect(actions(view, { nodes: { refused: 'nodes is forbidden' } })).toEqual(['+node-o0 1']);
  });

  test('are none on a node that lists the image, or is not ready', () => {
    const view = cloneSet();
    const [first, second, third] = allNodes(view) as [Node, Node, Node];
    const listed = nodeOf(first.metadata.name, [`docker.io/library/${NEW}`]);
    const silent = { ...second, status: {} };
    expect(actions(view, { nodes: [listed, silent, third] })).toEqual(['+node-o2 1']);
  });
});

test('a pod without a node has none to pull to', () => {
  const model = midway(5, 0);
  for (const pod of model.pods) delete pod.spec.nodeName;
  expect(actions(viewOf(model))).toEqual([]);
});
