import { expect, test } from 'vitest';
import { statusesOf } from '../../../cli/status/read.ts';
import { statusTree } from '../../../cli/status/tree.ts';
import { plain } from '../../../compiler/text/paint.ts';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { NOW, plan, statusObjects } from './objects.ts';

const counts = { desired: 30, active: 2, succeeded: 3, failed: 0 };

function job(status: object): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: { name: 'web', namespace: 'shop', generation: 4 },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'fix:1' }] } } },
    status,
  };
}

test.each([
  ['running', 'underway'],
  ['paused', 'underway'],
  ['completed', 'done'],
  ['failed', 'failed'],
])('a run without a plan that is %s is %s', (phase, expected) => {
  const [status] = statusesOf(statusObjects({ targets: [job({ phase, ...counts })] }));
  expect([status?.verdict, status?.updated, status?.ready]).toEqual([expected, '3/30', '']);
});

test('its nodes are counted, and its steps say where it runs', () => {
  const steps: Step[] = [
    { id: 'one', run: { to: 1 }, timeout: '10m' },
    { id: 'zones', run: { to: '10%', atLeast: 1, parallelism: 2, spread: 'zone' } },
  ];
  const given = plan('web', undefined);
  const objects = statusObjects({
    targets: [job({ phase: 'running', ...counts })],
    plans: [
      {
        ...given,
        spec: {
          ...(given['spec'] as object),
          target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob', name: 'web' },
          steps,
        },
      },
    ],
  });
  const [status] = statusesOf(objects);
  if (status === undefined) throw new Error('there is no status');
  const lines = statusTree(status, objects, { paint: plain, now: NOW, columns: undefined });
  expect(lines).toContain('  3/30 succeeded, 2 active, 0 failed');
  expect(lines.join('\n')).toMatch(/run on 1, within 10m/);
  expect(lines.join('\n')).toMatch(/run on 10%, at least 1, 2 at a time, one zone at a time/);
});
