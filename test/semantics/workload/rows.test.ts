import { expect, test } from 'vitest';
import { change, midway } from '../cloneset/midway.ts';

test('restarts of containers that others have added are not those of the pod', () => {
  const model = midway(1, 0, { spec: { replicas: 1 } });
  const run = { startedAt: '2026-01-01T10:00:00Z', finishedAt: '2026-01-01T11:00:00Z' };
  change(model, 'o0', (pod) => ({
    ...pod,
    spec: { ...pod.spec, containers: [...pod.spec.containers, { name: 'log', image: 'log:1' }] },
    status: {
      ...pod.status,
      containerStatuses: [
        ...(pod.status?.containerStatuses ?? []).map((each) => ({
          ...each,
          state: { running: { startedAt: run.startedAt } },
        })),
        { name: 'log', ready: true, restartCount: 1, lastState: { terminated: run } },
      ],
    },
  }));
  const rowOf = () => model.snapshot().rollout.pods[0];
  expect(rowOf()).toMatchObject({ restarts: 0, restartedWhenAvailable: false });
  change(model, 'o0', (pod) => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: (pod.status?.containerStatuses ?? []).map((each) => ({
        ...each,
        restartCount: 1,
        lastState: { terminated: run },
      })),
    },
  }));
  expect(rowOf()).toMatchObject({ restarts: 1, restartedWhenAvailable: true });
});
