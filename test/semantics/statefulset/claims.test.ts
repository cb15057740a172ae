import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import { type Need, needsOf } from '../../../semantics/kinds/need.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { decide, type Given, targetOf } from './model.ts';

const names = (actions: readonly Action[]): string[] =>
  inSequence(actions).map((action) =>
    action.do === 'create' ? `create ${action.object.metadata.name}` : `${action.verb} ${action.name}`,
  );

describe('claims of numbered pods (OpenKruise advanced-statefulset, 5 and 6.11)', () => {
  test.each<[what: string, given: Given, acts: string[]]>([
    [
      'are created before their pod',
      { replicas: 1, pods: '', claims: '' },
      ['create data-web-0', 'create web-0'],
    ],
    ['are taken over by the next pod', { replicas: 2, pods: '0n', claims: '0 1' }, ['create web-1']],
    ['stay when their pod is recreated', { replicas: 2, pods: '0 1', claims: '0 1' }, ['delete web-1']],
    ['stay when their pod is scaled in', { replicas: 1, pods: '0n 1n', claims: '0 1' }, ['delete web-1']],
    ['are waited for while they are being deleted', { replicas: 1, pods: '', claims: '0t' }, []],
    [
      'are created again for a pod that waits (AS-53)',
      { replicas: 1, pods: '0np', claims: '' },
      ['create data-web-0'],
    ],
    ['of a pod that runs are left alone', { replicas: 1, pods: '0n', claims: '' }, []],
    [
      'of other ordinals are left alone',
      { replicas: 1, start: 3, pods: '', claims: '0 1' },
      ['create data-web-3', 'create web-3'],
    ],
  ])('%s', (_what, given, acts) => {
    expect(names(decide(given).actions)).toEqual(acts);
  });

  test('have no owner, and the labels of template and selector', () => {
    const [action] = decide({ replicas: 1, pods: '', claims: '' }).actions;
    if (action?.do !== 'create') throw new Error('nothing is created');
    expect(action.object.metadata).toMatchObject({ labels: { tier: 'db', app: 'web' } });
    expect(action.object.metadata.ownerReferences).toBeUndefined();
    const next = action.next?.do === 'create' ? action.next : undefined;
    const pod = next?.object['spec'] as { volumes: JsonObject[] };
    expect(pod.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }]);
  });

  test('are watched by name', () => {
    const claims = (more: object): readonly Need[] =>
      needsOf(statefulSetKind.needs(targetOf({ replicas: 1, pods: '', ...more }), [], []), 'Claims');
    expect(claims({ claims: '' })).toEqual([{ of: 'Claims', numbered: ['data-web-'] }]);
    expect(claims({})).toEqual([]);
  });
});
