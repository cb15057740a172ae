import { describe, expect, test } from 'vitest';
import type { CloneSetParts } from './world/manifests.ts';
import { outputOf } from './world/output.ts';

const claim =
  '  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]';
const reuseOff = '  scaleStrategy: {enablePVCReuse: false}';
const v2 = { image: 'nginx:2' };
const debug = { container: '        env: [{name: LOG, value: debug}]' };

describe('messages about volume claims, on the terminal and in forecast.md', () => {
  test.each<[string, CloneSetParts, CloneSetParts, string | undefined, string[], string[]]>([
    [
      'claims stay',
      { spec: claim },
      { ...v2, spec: claim },
      undefined,
      ['10 volume claims stay with their pods.'],
      ['deleted', 'KR2140'],
    ],
    [
      'a claim is deleted, in the step that recreates its pod',
      { spec: claim, replicas: 2 },
      { ...debug, spec: claim, replicas: 2 },
      'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]',
      [
        '2 volume claims are deleted with the pods, and the data is lost. 2 new ones are created.',
        'Reversible except for the data: revert the commit, and the pods go back without gates, with empty claims.',
        'update to 1, 1 at a time; claims: 1 deleted, 1 created',
        'update to 100%, 1 at a time; claims: 1 deleted, 1 created',
      ],
      ['stay with'],
    ],
    [
      'a continuation deletes the claims of the retained pods, and no others',
      { type: 'ReCreate', spec: `    partition: 3\n${claim}`, replicas: 5 },
      { type: 'ReCreate', spec: `    partition: 1\n${claim}`, replicas: 5 },
      undefined,
      [
        '2 volume claims are deleted with the pods, and the data is lost. 2 new ones are created, 3 stay.',
        'claims: 2 deleted, 2 created',
      ],
      [],
    ],
    [
      'a failure takes back the claims of recreated pods',
      { spec: claim, replicas: 2 },
      { ...debug, spec: claim, replicas: 2 },
      'steps: [{match: {}, onFailure: Revert}]',
      [
        'If a step fails, the pods go back, and the volume claims that the rollout created are deleted with their data.',
      ],
      [],
    ],
    [
      'a failure that reverts in place deletes none',
      { spec: claim, replicas: 2 },
      { ...v2, spec: claim, replicas: 2 },
      'steps: [{match: {}, onFailure: Revert}]',
      ['If a step fails, the pods go back.'],
      ['meanwhile'],
    ],
    [
      'pods that users delete leave their claims, and get those that are new',
      { type: 'OnDelete', spec: claim, replicas: 2 },
      { ...v2, type: 'OnDelete', spec: claim, replicas: 2 },
      undefined,
      [
        '2 volume claims are reused by the pods that replace deleted ones.',
        'Reversible: revert the commit, and pods are recreated on the old revision. Updated pods keep the change',
      ],
      ['deleted with', 'KR2143'],
    ],
    [
      'pods that users delete get a claim that is new',
      { type: 'OnDelete', replicas: 2 },
      { ...v2, type: 'OnDelete', spec: claim, replicas: 2 },
      undefined,
      ['No volume claim is deleted. 2 new ones are created.'],
      ['KR2143'],
    ],
    [
      'pods that users delete take their claims along',
      { type: 'OnDelete', spec: `${claim}\n${reuseOff}`, replicas: 2 },
      { ...v2, type: 'OnDelete', spec: `${claim}\n${reuseOff}`, replicas: 2 },
      'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]',
      [
        '2 volume claims are deleted with the pods that users delete, and the data is lost. 2 new ones are created.',
        'Reversible except for the data: revert the commit, and pods are recreated on the old revision, with empty claims. Updated',
        'update to 1, when users delete pods; claims: 1 deleted, 1 created',
      ],
      ['reused'],
    ],
    [
      'a later plan does not restore data',
      { type: 'ReCreate', spec: `    partition: 3\n${claim}`, replicas: 5 },
      { type: 'ReCreate', spec: `    partition: 1\n${claim}`, replicas: 5 },
      undefined,
      ['Restoring the previous template does, without gates, but does not restore data.'],
      [],
    ],
    [
      'the first claims',
      { replicas: 1 },
      { ...debug, replicas: 1, spec: claim },
      undefined,
      ['No volume claim is deleted. 1 new one is created.'],
      ['KR2140'],
    ],
  ])('%s', async (_what, base, head, config, present, absent) => {
    const { human, page } = await outputOf(base, head, config);
    for (const text of [human, page]) {
      for (const part of present) expect(text).toContain(part);
      for (const part of absent) expect(text).not.toContain(part);
    }
  });

  test('pods newly named in podsToDelete, and the claims deleted with them', async () => {
    const named = (pods: string): string => `${claim}\n  scaleStrategy: {podsToDelete: [${pods}]}`;
    const { human, err } = await outputOf({ spec: named('a') }, { spec: named('a, b, c') });
    expect(human).toContain(
      'settings only (podsToDelete); 2 pods to delete by name, and 2 volume claims with the data',
    );
    expect(err).toContain(
      'warning[KR2142]: pod c is deleted, and 1 volume claim is deleted with it: the data is lost',
    );
    const without = await outputOf({}, { spec: '  scaleStrategy: {podsToDelete: [a]}' });
    expect(without.human).toContain('settings only (podsToDelete); 1 pod to delete by name');
    expect(`${without.human}${without.err}`).not.toContain('claim');
  });
});
