import { describe, expect, test } from 'vitest';
import { kruise } from './world/manifests.ts';
import { type NumberedParts, numbered } from './world/numbered.ts';

const claims = (more: string, fate = 'Delete'): string =>
  '  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n' +
  `  persistentVolumeClaimRetentionPolicy: {whenScaled: ${fate}, whenDeleted: ${fate}}${more}`;
const from2 = '\n  ordinals: {start: 2}';
const from5 = '\n  ordinals: {start: 5}';
const next = { image: 'nginx:1.27', replicas: 5 };
const env = { env: 'A', replicas: 5 };
const old = { replicas: 5, spec: claims(from2) };
const kept = { replicas: 5, spec: claims(from2, 'Retain') };

/** forecast.md and the terminal, for a change of one StatefulSet; `head` undefined: it is removed. */
async function outputs(
  base: NumberedParts,
  head?: NumberedParts,
): Promise<{ page: string; terminal: string }> {
  const { host } = await kruise({
    'base/web.yaml': numbered(base),
    'head/note.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: note}}\n',
    ...(head !== undefined && { 'head/web.yaml': numbered(head) }),
  });
  const page = String(host.files.get('/repo/head/plans/shop/statefulset-web/forecast.md'));
  return { page, terminal: `${host.out}${host.err}` };
}

describe('what becomes of claims where ordinals come and go beside an update', () => {
  test.each<[string, NumberedParts, NumberedParts, string[]]>([
    [
      'another first ordinal, whenScaled: Delete',
      old,
      { ...env, spec: claims(from5) },
      [
        'recreated, and 3 are created at other ordinals',
        '3 volume claims (data-web-4 to data-web-2) are deleted with their pods: the data is lost.',
        '2 volume claims stay: the recreated pods of the same names reuse them.',
        '3 volume claims (data-web-7 to data-web-9) are created for new pods.',
        'Reversible except for the data',
        'web-4 to web-2 are deleted, and 3 volume claims are deleted with them (data-web-4 to data-web-2): the data is lost (KR2151)',
      ],
    ],
    [
      'a reservation, whenScaled: Retain',
      kept,
      { ...env, spec: claims(`${from2}\n  reserveOrdinals: [4]`, 'Retain') },
      [
        '4 volume claims stay: the recreated pods of the same names reuse them.',
        '1 volume claim (data-web-4) stays behind with the data, and no pod uses it.',
        '1 volume claim (data-web-7) is created for new pods.',
        'Reversible: revert',
      ],
    ],
    [
      'no ordinal of before',
      { ...old, replicas: 2 },
      { ...env, replicas: 2, spec: claims(from5) },
      ['2 volume claims (data-web-3, data-web-2) are deleted with their pods: the data is lost. 2 volume'],
    ],
    [
      'scale-out',
      old,
      { ...env, replicas: 8, spec: claims(from2) },
      [
        '5 volume claims stay: the recreated pods of the same names reuse them. ' +
          '3 volume claims (data-web-7 to data-web-9) are created for new pods.',
      ],
    ],
    [
      'scale-in to none',
      old,
      { ...env, replicas: 0, spec: claims(from2) },
      ['5 volume claims (data-web-6 to data-web-2) are deleted with their pods: the data is lost.'],
    ],
    [
      'an update in place',
      old,
      { ...next, policyOfPods: 'InPlaceIfPossible', spec: claims(from5) },
      ['2 volume claims stay', '3 volume claims (data-web-7 to data-web-9) are created for new pods.'],
    ],
  ])('%s', async (_what, base, head, expected) => {
    const { page, terminal } = await outputs(base, head);
    for (const text of expected) {
      expect(page).toContain(text);
      if (!text.includes('KR')) expect(terminal).toContain(text);
    }
  });

  test('where every claim goes, the forecast names none that stays', async () => {
    const { page } = await outputs({ ...old, replicas: 2 }, { ...env, replicas: 2, spec: claims(from5) });
    expect(page).not.toContain('0 volume claims');
    expect(page).not.toContain('reuse');
  });

  test('ordinals that move beside a scale-in are reported once', async () => {
    const { page } = await outputs(old, { ...env, replicas: 4, spec: claims(from5) });
    expect(page).toContain('KR2151');
    expect(page).not.toContain('KR2141');
  });
});

test.each([
  [
    'Delete',
    ' deleted with it, and 5 volume claims are deleted with them (data-web-2 to data-web-6): the data is lost',
  ],
  ['Retain', ' deleted with it\n'],
])('a StatefulSet that is removed, whenDeleted: %s', async (fate, expected) => {
  const { terminal } = await outputs({ replicas: 5, spec: claims(from2, fate) });
  expect(terminal).toContain(`StatefulSet shop/web is removed: its 5 pods are${expected}`);
});

test('the help on readiness names the field of the kind', async () => {
  const { terminal } = await outputs({}, { image: 'nginx:1.27' });
  expect(terminal).toContain('set spec.updateStrategy.rollingUpdate.minReadySeconds, which changes no pod');
});
