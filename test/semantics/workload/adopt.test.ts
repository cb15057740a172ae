import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action } from '../../../semantics/decision.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { NOW, podsOf, targetOf, templateOf } from '../statefulset/model.ts';

const target = targetOf({ replicas: 2, pods: '' });

/** A revision of Kubernetes: its template has the pull policy that the server fills in, unless one is given. */
function revision(
  name: string,
  image: string,
  imagePullPolicy = 'IfNotPresent',
  metadata: object = {},
): KubeObject {
  const template = templateOf(image) as { spec: { containers: JsonObject[] } };
  const containers = template.spec.containers.map((each) => ({ ...each, imagePullPolicy }));
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '5', labels: { app: 'web' }, ...metadata },
    data: revisionData({ ...template, spec: { ...template.spec, containers } }),
    revision: 1,
  };
}

const pods = (text: string, label: string): Pod[] =>
  podsOf({ replicas: 2, pods: text }).map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'web', 'controller-revision-hash': label } },
  }));

interface Given {
  owned?: KubeObject[];
  ownedPods?: Pod[];
  pods: Pod[];
  revisions: KubeObject[];
}

function writes({ owned = [], ownedPods = [], ...orphans }: Given): Action[] {
  return statefulSetKind
    .observe({ target, pods: ownedPods, revisions: owned, orphans, takenNames: new Set(), now: NOW })
    .revise();
}

const adopted = (object: KubeObject, annotations: Record<string, string> = {}): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});
const named = (actions: readonly Action[]): string[] =>
  actions.map((action) => `${action.verb} ${action.do === 'create' ? 'one' : action.name}`);

const native = revision('web-abc', 'web:2');
/** The same, and the newer one of two. */
const second: KubeObject = { ...native, revision: 2 };
const [unset, stable] = ['plan.kruise.io/without-pull-policy', 'plan.kruise.io/complete'];

describe('adoption of orphans (OpenKruise advanced-statefulset, rule 6.1; AS-51)', () => {
  const orphans = pods('0 1', 'web-abc');
  test.each<[what: string, given: Given, writes: string[]]>([
    ['first the revision that they are on', { pods: orphans, revisions: [native] }, ['adopt web-abc']],
    [
      'then that becomes stable',
      { pods: orphans, revisions: [], owned: [adopted(native, { [unset]: 'main' })] },
      ['mark stable web-abc'],
    ],
    [
      'then the pods',
      { pods: orphans, revisions: [], owned: [adopted(native, { [unset]: 'main', [stable]: '1' })] },
      ['adopt web-0', 'adopt web-1'],
    ],
    [
      'a revision of another template becomes stable, too, and the live one is recorded',
      { pods: orphans, revisions: [], owned: [adopted(revision('web-abc', 'web:1'))] },
      ['create revision one'],
    ],
    [
      'of several the one of most available pods, without those that end: 1 against 2 that are being deleted',
      {
        pods: [...pods('2', 'web-abc'), ...pods('0t 1t', 'web-xyz')],
        revisions: [],
        owned: [adopted(revision('web-xyz', 'web:1')), adopted(second, { [unset]: 'main' })],
      },
      ['mark stable web-abc'],
    ],
    [
      'of several the one of most available pods: 1 against 2',
      {
        pods: [...pods('2', 'web-abc'), ...pods('0 1', 'web-xyz')],
        revisions: [],
        owned: [adopted(revision('web-xyz', 'web:1')), adopted(second, { [unset]: 'main' })],
      },
      ['mark stable web-xyz'],
    ],
    [
      'no revision that no pod is on and that has another template',
      { pods: [], revisions: [revision('web-xyz', 'web:1')] },
      ['create revision one'],
    ],
    [
      'one of the live template, before a second one is made',
      { pods: [], revisions: [revision('web-xyz', 'web:2', 'Always')] },
      ['adopt web-xyz'],
    ],
    [
      'no record of an accepted plan',
      {
        pods: pods('0', 'web-plan'),
        revisions: [
          {
            ...revision('web-plan', 'web:2', 'Always', {
              labels: { app: 'web', 'plan.kruise.io/accepted': 'true' },
            }),
            data: {},
          },
        ],
      },
      ['create revision one'],
    ],
  ])('%s', (_what, given, expected) => {
    expect(named(writes(given))).toEqual(expected);
  });

  test('names the object that was observed, and asks for the target before it is sent', () => {
    const [action] = writes({
      pods: orphans,
      revisions: [],
      owned: [adopted(native, { [unset]: 'main', [stable]: '1' })],
    });
    expect(action).toMatchObject({
      adopts: true,
      body: {
        metadata: {
          uid: 'uid-0',
          resourceVersion: '7',
          ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: 'uid-web', controller: true }],
        },
      },
    });
    // Nothing else of the pod changes.
    expect(Object.keys((action as { body: object }).body)).toEqual(['metadata']);
  });

  test.each<[what: string, object: KubeObject, annotations: object]>([
    ['a pull policy that Kubernetes filled in counts as none', native, { [unset]: 'main' }],
    ['a pull policy that is not the usual one counts', revision('web-abc', 'web:2', 'Never'), {}],
    ['Always is what it means here, too', revision('web-abc', 'web:latest', 'Always'), { [unset]: 'main' }],
    [
      'records of rollouts are not believed',
      revision('web-abc', 'web:2', 'Never', { annotations: { [stable]: '9', note: 'x' } }),
      { [stable]: null },
    ],
  ])('%s', (_what, object, annotations) => {
    const [action] = writes({ pods: orphans, revisions: [object] });
    expect(action).toMatchObject({ do: 'patch', verb: 'adopt', adopts: true });
    const { metadata } = (action as unknown as { body: { metadata: { annotations: object } } }).body;
    expect(metadata.annotations).toEqual(annotations);
  });

  test('an invalid target adopts nothing', () => {
    const invalid = { ...target, spec: { ...(target['spec'] as object), reserveOrdinals: ['5-2'] } };
    const snapshot = statefulSetKind.observe({
      target: invalid,
      pods: [],
      revisions: [],
      orphans: { pods: orphans, revisions: [native] },
      takenNames: new Set(),
      now: NOW,
    });
    expect(snapshot.revise()).toEqual([]);
  });
});
