import { LIFECYCLE_LABEL } from '../../../semantics/pod/types.ts';
import { change, done } from './acts.ts';
import type { Case } from './case.ts';
import type { Web } from './manifest.ts';
import { type ClusterSnapshot, hasAvailable } from './snapshot.ts';
import type { RolloutCase } from './suite.ts';

const CONNECTIONS = 'example.com/connections';
const WARM = 'example.com/warm';
const LISTED = 'example.com/listed';

const drained: Web = {
  lifecycle: `{ preDelete: { labelsHandler: { ${CONNECTIONS}: "yes" }, markPodNotReady: true } }`,
  labels: `${CONNECTIONS}: "yes"`,
};
const warmed: Web = {
  lifecycle: `{ inPlaceUpdate: { labelsHandler: { ${WARM}: "yes" }, markPodNotReady: true } }`,
  labels: `${WARM}: "yes"`,
};
const listed: Web = { lifecycle: `{ preNormal: { labelsHandler: { ${LISTED}: "yes" } } }` };

/** Whether a pod that waits in a state has the label of its hook. */
const hasLabel: Readonly<Record<string, boolean>> = {
  PreparingDelete: true,
  PreparingUpdate: true,
  Updated: false,
  PreparingNormal: false,
};

/** Waits until this many pods are held in a lifecycle state by the label of its hook. */
const waiting = (c: Case, state: string, key: string, count: number): Promise<ClusterSnapshot> =>
  c.until(`${count} pods wait in ${state}`, ({ pods }) => {
    const held = pods.filter(
      ({ metadata: { labels = {} } }) =>
        labels[LIFECYCLE_LABEL] === state && key in labels === hasLabel[state],
    );
    return held.length === count;
  });

/** Does the part of the controller behind a hook: removes or adds the label of the pods that wait in this state. */
async function answer(c: Case, state: string, key: string): Promise<void> {
  const selector = `${LIFECYCLE_LABEL}=${state},${hasLabel[state] === true ? key : `!${key}`}`;
  await c.kubectl(`label pods -l ${selector} ${hasLabel[state] === true ? `${key}-` : `${key}=yes`}`);
}

/** Records the lifecycle state of each pod, and a label that a hook names. */
async function showStates(c: Case, key: string): Promise<void> {
  await c.status();
  await c.kubectl(`get pods -L ${LIFECYCLE_LABEL},${key}`);
}

/** Pods that wait at hooks, and kubectl as the controller behind them. */
export const hooks: RolloutCase[] = [
  {
    golden: 'hook-pre-delete.txt',
    title: 'lifecycle hook preDelete: a scale-in waits until a label is removed',
    async play(c) {
      await change(c, drained);
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await change(c, { ...drained, replicas: 2 });
      await waiting(c, 'PreparingDelete', CONNECTIONS, 1);
      await showStates(c, CONNECTIONS);
      await answer(c, 'PreparingDelete', CONNECTIONS);
      await c.until('two pods', (snapshot) => hasAvailable(snapshot, 2));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'hook-in-place-update.txt',
    title: 'lifecycle hook inPlaceUpdate: pods wait for a label before and after their update',
    async play(c) {
      await change(c, warmed);
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await change(c, { ...warmed, image: 'nginx:1.27' });
      await waiting(c, 'PreparingUpdate', WARM, 2);
      await showStates(c, WARM);
      await answer(c, 'PreparingUpdate', WARM);
      await waiting(c, 'Updated', WARM, 2);
      await showStates(c, WARM);
      await answer(c, 'Updated', WARM);
      c.note('The last pod follows:');
      await waiting(c, 'PreparingUpdate', WARM, 1);
      await answer(c, 'PreparingUpdate', WARM);
      await waiting(c, 'Updated', WARM, 1);
      await answer(c, 'Updated', WARM);
      await done(c, 3);
    },
  },
  {
    golden: 'hook-pre-normal.txt',
    title: 'lifecycle hook preNormal: new pods do not count before they have a label',
    async play(c) {
      await change(c, listed);
      await waiting(c, 'PreparingNormal', LISTED, 3);
      await showStates(c, LISTED);
      await answer(c, 'PreparingNormal', LISTED);
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await change(c, { ...listed, env: 'debug' });
      await waiting(c, 'PreparingNormal', LISTED, 2);
      await showStates(c, LISTED);
      await answer(c, 'PreparingNormal', LISTED);
      c.note('The last pod follows:');
      await waiting(c, 'PreparingNormal', LISTED, 1);
      await answer(c, 'PreparingNormal', LISTED);
      await done(c, 3);
    },
  },
];
