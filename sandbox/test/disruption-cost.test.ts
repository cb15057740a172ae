import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createVirtualClock } from '../index.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { startDisruption } from '../controllers/disruption.ts';
import type { Commit } from '../store/history.ts';

/** How often labels of pods are read when one pod has changed, of so many pods with a budget each. */
async function reads(count: number): Promise<number> {
  let read = 0;
  let see = (_commit: Commit): void => {};
  const metadata = (at: number) => ({ namespace: 'default', name: `p${at}`, uid: `u${at}` });
  const pods = Array.from({ length: count }, (_, at): KubeObject => {
    const labels = { app: `p${at}` };
    const counted = Object.defineProperty({ ...metadata(at), labels }, 'labels', {
      get() {
        read += 1;
        return labels;
      },
    });
    return { apiVersion: 'v1', kind: 'Pod', metadata: counted, spec: { containers: [] } };
  });
  const budgets = pods.map((_each, at): KubeObject => {
    const spec = { selector: { matchLabels: { app: `p${at}` } }, minAvailable: 1 };
    return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: metadata(at), spec };
  });
  const clock = createVirtualClock(0);
  let written = 0;
  const context = {
    store: {
      list: (resource: string) => (resource === 'pods' ? pods : budgets),
      followAll(listener: typeof see) {
        see = listener;
        return () => {};
      },
    },
    server: { replace: () => void (written += 1) },
    clock,
    timings: { collectMs: 100 },
  };
  startDisruption(context as unknown as ControllerContext);
  const commit = (resource: string, type: Commit['type'], object: KubeObject): void =>
    see({ revision: 1, at: 0, user: 'alice', type, resource, object, previous: undefined });
  for (const each of budgets) commit('poddisruptionbudgets.policy', 'ADDED', each);
  await clock.advance(1_000);
  expect(written).toBe(count);
  read = 0;
  const [first] = pods;
  if (first !== undefined) commit('pods', 'DELETED', first);
  await clock.advance(1_000);
  expect(written, 'its own budget').toBe(count + 1);
  return read;
}

test('a change of one pod costs no comparison of every pod with every budget', async () => {
  const few = await reads(10);
  expect((await reads(100)) / few).toBeLessThan(15);
});
