import { describe, expect, test } from 'vitest';
import type { Action } from '../../../semantics/decision.ts';
import { decide, type Given } from './model.ts';

/** `own 2: +pod -set`, `delete web-2`: what is done to pods, and to the owners of their claims. */
function textOf(action: Action): string {
  if (action.do === 'create') return `create ${action.object.metadata.name}`;
  if (action.do === 'delete' || action.kind === 'Pod') return `${action.verb} ${action.name}`;
  const { ownerReferences } = (action.body as { metadata: { ownerReferences: Record<string, string>[] } })
    .metadata;
  const changes = ownerReferences.map(
    ({ $patch, uid }) => `${$patch === 'delete' ? '-' : '+'}${nameOf(uid)}`,
  );
  return `own ${action.name.slice('data-web-'.length)}: ${changes.join(' ')}`;
}

function nameOf(uid = ''): string {
  return uid === 'uid-web' ? 'set' : 'pod';
}

const acts = (given: Given): string[] => decide(given).actions.map(textOf);

const scaled = { whenScaled: 'Delete' } as const;
const deleted = { whenDeleted: 'Delete' } as const;
const both = { ...scaled, ...deleted };
const all = { replicas: 3, pods: '0n 1n 2n' };
const two = { replicas: 2, pods: '0n 1n 2n' };

describe('owners of the claims of numbered pods (OpenKruise advanced-statefulset, 6.11)', () => {
  test.each<[what: string, given: Given, acts: string[]]>([
    ['none by default', { ...all, claims: '0 1 2' }, []],
    ['none with Delete when scaled, in range', { ...all, claims: '0 1 2', retention: scaled }, []],
    [
      'the StatefulSet with Delete when deleted',
      { ...all, claims: '0 1s 2s', retention: deleted },
      ['own 0: +set'],
    ],
    [
      'the StatefulSet with Delete for both, in range',
      { ...all, claims: '0s 1s 2p', retention: both },
      ['own 2: +set -pod'],
    ],
    [
      'the pod of a scaled-in ordinal, before that pod is deleted (AS-41)',
      { ...two, claims: '0 1 2', retention: scaled },
      ['own 2: +pod'],
    ],
    ['then that pod is deleted (AS-41)', { ...two, claims: '0 1 2p', retention: scaled }, ['delete web-2']],
    [
      'the pod instead of the StatefulSet with Delete for both',
      { ...two, claims: '0s 1s 2s', retention: both },
      ['own 2: -set +pod'],
    ],
    [
      'of a scaled-in ordinal the StatefulSet, where only its deletion deletes claims',
      { ...two, claims: '0s 1s 2s', retention: deleted },
      ['delete web-2'],
    ],
    [
      'the pod of a reserved ordinal (AS-42)',
      { replicas: 2, reserve: [1], pods: '0n 1n 2n', claims: '0 1 2', retention: scaled },
      ['own 1: +pod'],
    ],
    [
      'with OrderedReady also of a pod that has to wait',
      { ...two, policy: 'OrderedReady', pods: '0n 1n! 2n', claims: '0 1 2', retention: scaled },
      ['own 2: +pod'],
    ],
    ['none once the policy is Retain again', { ...two, claims: '0 1 2p' }, ['own 2: -pod']],
    [
      'none once the ordinal is wanted again, while its pod is still being deleted',
      { ...all, pods: '0n 1n 2nt', claims: '0 1 2p', retention: scaled },
      ['own 2: -pod'],
    ],
    [
      'released before a pod in range is recreated',
      { replicas: 3, max: 3, pods: '0n 1n 2', claims: '0 1 2p', retention: scaled },
      ['own 2: -pod'],
    ],
    [
      'not those without a pod',
      { replicas: 1, pods: '0n', claims: '0 1 2p', retention: both },
      ['own 0: +set'],
    ],
  ])('%s', (_what, given, expected) => {
    expect(acts(given)).toEqual(expected);
  });

  test('a claim is created with the StatefulSet as its owner, which does not control it', () => {
    const [action] = decide({ replicas: 1, pods: '', claims: '', retention: deleted }).actions;
    expect(action?.do === 'create' && action.object.metadata.ownerReferences).toEqual([
      { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'uid-web' },
    ]);
  });

  test('a pod is not created while its claim belongs to an earlier pod of that name', () => {
    const given = { replicas: 1, pods: '', retention: scaled };
    expect(acts({ ...given, claims: '0' })).toEqual(['create web-0']);
    const { actions, explanations } = decide({ ...given, claims: '0e' });
    expect(actions).toEqual([]);
    expect(explanations).toContainEqual({
      about: 'web',
      reason:
        'web-0 waits for the garbage collector: claim data-web-0 belongs to an earlier pod of that name',
    });
  });
});
