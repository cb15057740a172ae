import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { united, zones } from '../runtime/united-world.ts';
import { diagnosticsOf } from './world/manifests.ts';

/** Twelve pods in zones of four, each a Deployment with this strategy. */
const web = (image: string, strategy: JsonObject): string =>
  stringify(
    united({
      ...{ image, field: 'deploymentTemplate', child: { strategy } },
      subsets: zones('abc'),
      spec: { replicas: 12 },
    }),
  );

async function found(strategy: JsonObject, batches: string): Promise<{ code: string; message: string }[]> {
  const { all } = await diagnosticsOf({
    'base/web.yaml': web('web:1', strategy),
    'head/web.yaml': web('web:2', strategy),
    'head/kruise.yaml': `steps: [{match: {}, batches: ${batches}}]\n`,
  });
  return all;
}

const codes = async (strategy: JsonObject, batches = '[{to: 100%}]'): Promise<string[]> =>
  (await found(strategy, batches)).map(({ code }) => code);

describe('limits of Deployments in zones are those of Kubernetes, for the pods of each', () => {
  test('a window in a batch has no effect, and stops no pod', async () => {
    const one = { rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } };
    const all = await codes(one, '[{to: 100%, window: {maxUnavailable: 0, maxSurge: 1}}]');
    expect(all).toContain('KR4027');
    expect(all).not.toContain('KR4024');
  });

  test('with Recreate the pods of other zones stay, so that a crash after the start matters', async () => {
    expect(await codes({ type: 'Recreate' })).toContain('KR2135');
  });

  test('a percentage is of the pods of a zone', async () => {
    const tenth = await found({ rollingUpdate: { maxUnavailable: '10%' } }, '[{to: 100%}]');
    expect(tenth.find(({ code }) => code === 'KR2161')?.message).toContain(
      'maxUnavailable 10% is 0 of 4 replicas',
    );
    expect(await codes({ rollingUpdate: { maxUnavailable: '25%' } })).not.toContain('KR2161');
    // Kubernetes takes one where both percentages are none.
    const none = await codes({ rollingUpdate: { maxUnavailable: '10%', maxSurge: '0%' } });
    expect(none).not.toContain('KR2161');
    expect(none).not.toContain('KR2103');
  });

  test('Kubernetes refuses 0 and 0', async () => {
    expect(await codes({ rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } })).toContain('KR2103');
  });
});
