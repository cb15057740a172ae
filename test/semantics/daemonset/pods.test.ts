import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action } from '../../../semantics/decision.ts';
import { daemonSetGit } from '../../../semantics/daemonset/git.ts';
import {
  actions,
  actionsIn,
  decide,
  type Given,
  hashOf,
  NOW,
  podsOf,
  revisionsOf,
  snapshotOf,
  targetOf,
  templateOf,
} from './model.ts';

/** The pod that is created on node n1. */
function created(given: Partial<Given> = {}): KubeObject {
  const [first] = decide({ nodes: 'n1', pods: '', ...given }).actions;
  if (first?.do !== 'create') throw new Error('no pod is created');
  return first.object;
}

const specOf = (pod: KubeObject): JsonObject => pod['spec'] as JsonObject;
const eventsOf = (all: readonly Action[]) => all.map(({ event }) => event);

describe('the pod of a node (rule 6.8 step 4)', () => {
  test('it has the hash alone as label, no lifecycle state, and the target as controller (DS-12)', () => {
    const { metadata } = created();
    expect(metadata).toMatchObject({
      generateName: 'agent-',
      namespace: 'ops',
      labels: { app: 'agent', 'controller-revision-hash': 'new' },
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'DaemonSet',
          name: 'agent',
          uid: 'uid-agent',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(metadata.labels).not.toHaveProperty('lifecycle.apps.kruise.io/state');
  });

  test('its required node affinity is replaced by one for its node; preferred ones stay (DS-12)', () => {
    const term = { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] };
    const preferred = [{ weight: 1, preference: term }];
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'absent', operator: 'DoesNotExist' }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    };
    const pod = created({ pod: { affinity: { nodeAffinity } } });
    expect(specOf(pod)['affinity']).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
      },
    });
  });

  test('it tolerates six taints of nodes, and seven in the network of its node (DS-12)', () => {
    expect(specOf(created())['tolerations']).toHaveLength(6);
    expect(specOf(created({ pod: { hostNetwork: true } }))['tolerations']).toHaveLength(7);
  });

  test('the gate for updates in place is there with InPlaceIfPossible alone, and once (DS-36)', () => {
    const gate = { conditionType: 'InPlaceUpdateReady' };
    const rolling = { rollingUpdateType: 'InPlaceIfPossible' };
    expect(specOf(created())['readinessGates']).toBeUndefined();
    expect(specOf(created({ rolling }))['readinessGates']).toEqual([gate]);
    expect(specOf(created({ rolling, pod: { readinessGates: [gate] } }))['readinessGates']).toEqual([gate]);
  });

  test('the gate of a new pod is opened once it is bound to its node (DS-36)', () => {
    const given: Given = { nodes: 'n1', pods: 'n1ng', rolling: { rollingUpdateType: 'InPlaceIfPossible' } };
    const pods = podsOf(given).map((pod) => ({ ...pod, status: { phase: 'Running', conditions: [] } }));
    expect(pods[0]?.spec.readinessGates).toHaveLength(1);
    expect(actions(given)).toEqual([]);
    const closed: Given = { ...given, pods: 'n1nd' };
    expect(actions(closed)).toEqual(['set InPlaceUpdateReady=True n1']);
  });

  test('its name follows from the node at every revision, and another object may have it', () => {
    const { name } = created().metadata;
    expect(name).toMatch(/^agent-[0-9a-f]{12}$/);
    expect(created().metadata.name).toBe(name);
    // A creation whose answer was lost: though git has gone back meanwhile, the node gets no second pod.
    expect(created({ live: 'mid' }).metadata.name).toBe(name);
    expect(created({ taken: [name] }).metadata.name).not.toBe(name);
    // A forecast has the same.
    const [forecast] =
      daemonSetGit.units?.(targetOf({ nodes: 'n1', pods: '' }), revisionsOf(), [hashOf('new')], NOW, [
        'n1',
      ]) ?? [];
    expect(forecast?.metadata.name).toBe(name);
  });
});

describe('Events', () => {
  test('of creation and deletion', () => {
    const { actions: all } = decide({ nodes: 'n1 n2x', pods: 'n2n' });
    const name = created().metadata.name;
    expect(eventsOf(all)).toEqual([
      { type: 'Normal', reason: 'SuccessfulDelete', message: 'Deleted pod: n2' },
      { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${name}` },
    ]);
  });

  test('of pods that have ended (DS-42)', () => {
    expect(eventsOf(decide({ nodes: 'n1 n2', pods: 'n1nf n2ns' }).actions)).toEqual([
      {
        type: 'Warning',
        reason: 'FailedDaemonPod',
        message: 'Found failed daemon pod ops/n1 on node n1, will try to kill it',
      },
      {
        type: 'Normal',
        reason: 'SucceededDaemonPod',
        message: 'Found succeeded daemon pod ops/n2 on node n2, will try to kill it',
      },
    ]);
  });

  test('after repeated failures it is observed again when the next pod is due (DS-42)', () => {
    const { requeueAt, explanations } = decide({ nodes: 'n1', pods: '', deferred: ['n1'] });
    expect(requeueAt).toBe(Date.UTC(2026, 0, 2) + 4_000);
    expect(explanations.map(({ about }) => about)).toEqual(['agent']);
  });
});

describe('revisions (rule 6.9)', () => {
  const given: Given = { nodes: 'n1 n2', pods: 'n1 n2' };

  test('a new one has the label of its pods, too', () => {
    const [create] = snapshotOf(given, revisionsOf().slice(0, 1)).revise();
    if (create?.do !== 'create') throw new Error('no revision is created');
    const { name, labels = {} } = create.object.metadata;
    expect(name).toBe(`agent-${labels['controller-revision-hash'] ?? ''}`);
    expect(labels).toMatchObject({
      app: 'agent',
      'controller.kubernetes.io/hash': labels['controller-revision-hash'],
    });
    expect(create.object['revision']).toBe(2);
  });

  test('an earlier template takes its revision again, with the highest number (DS-49)', () => {
    const [patch, ...more] = snapshotOf({ ...given, live: 'old' }).revise();
    expect(more).toEqual([]);
    expect(patch).toMatchObject({ do: 'patch', name: 'agent-old', body: { revision: 4 } });
  });

  test('of 12 that no pod is on the limit of 10 leaves the last ten and the current one (DS-48)', () => {
    const earlier = Array.from({ length: 12 }, (_, index): KubeObject => {
      const [first] = revisionsOf();
      const template = {
        ...templateOf('old'),
        spec: { containers: [{ name: 'main', image: `agent:0.${index}` }] },
      };
      return {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { ...first?.metadata, name: `agent-e${index}`, uid: `uid-e${index}` },
        data: { spec: { template: { $patch: 'replace', ...template } } },
        revision: index + 1,
      };
    });
    const current = revisionsOf()
      .slice(2)
      .map((each) => ({ ...each, revision: 13 }));
    const snapshot = snapshotOf({ nodes: 'n1', pods: 'n1n' }, [...earlier, ...current]);
    const { actions: all } = snapshot.decide(
      { ...held(), goal: snapshot.rollout.liveHash, stable: snapshot.rollout.liveHash },
      undefined,
      new Set(),
    );
    expect(all.map((action) => (action.do === 'delete' ? action.name : action.verb))).toEqual([
      'agent-e0',
      'agent-e1',
    ]);
  });

  test('an orphan that the selector matches is adopted, and counts as outdated (DS-45)', () => {
    const [orphan] = podsOf({ nodes: 'n1', pods: 'n1' });
    if (orphan === undefined) throw new Error('no orphan');
    const [stable, , live] = revisionsOf();
    const revisions = [stable, live].flatMap((each) => each ?? []);
    const none: Given = { nodes: 'n1', pods: '' };
    const adopts = snapshotOf(none, revisions, { orphans: { pods: [orphan], revisions: [] } }).revise();
    expect(actionsIn(adopts)).toEqual(['adopt n1']);
    expect(actions({ nodes: 'n1', pods: 'n1' })).toEqual(['delete n1']);
  });

  test('a pod that the selector does not match any more is released, and its node gets another one', () => {
    const labels = { n1: { app: 'debug' } };
    expect(actions({ nodes: 'n1', pods: 'n1n', labels })).toEqual(['create n1@new', 'release n1']);
  });
});

function held() {
  return {
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: false,
    mode: 'Recreate',
    reason: 'nothing is planned',
  } as const;
}
