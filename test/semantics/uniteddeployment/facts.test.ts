import { expect, test } from 'vitest';
import { unitedFacts } from '../../../semantics/uniteddeployment/facts.ts';
import { united } from '../../runtime/united-world.ts';

const { status: facts } = unitedFacts;
const status = {
  ...{ observedGeneration: 1, replicas: 10, readyReplicas: 10, updatedReplicas: 7, updatedReadyReplicas: 7 },
  subsetStatuses: [
    { name: 'a', replicas: 3 },
    { name: 'b', replicas: 3 },
    { name: 'c', replicas: 4 },
  ],
};

test.each([
  [{}, 10, 'underway'],
  [{ a: 9 }, 7, 'done'],
  [{ a: 1, b: 1 }, 8, 'underway'],
  [{ z: 5 }, 10, 'underway'],
])('with partitions %j so many pods are due to be updated: %i', (partitions, due, outcome) => {
  const target = { ...united({ spec: { updateStrategy: { manualUpdate: { partitions } } } }), status };
  expect([facts.counts(target), facts.outcome(target)]).toMatchObject([{ due }, outcome]);
});
