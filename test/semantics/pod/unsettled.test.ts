import { describe, expect, test } from 'vitest';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { isInPlaceUpdateComplete, settlesAt, unexplainedRestarts } from '../../../semantics/pod/in-place.ts';
import { startPatch } from '../../../semantics/pod/start-update.ts';
import type { InPlaceState } from '../../../semantics/pod/annotation-shapes.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import { type ContainerStatus, IN_PLACE_STATE_ANNOTATION, type Pod } from '../../../semantics/pod/types.ts';
import { AT, pod } from './pods.ts';

const NOW = Date.parse(AT);
const revision = { name: 'web-6b7c9d58f', shortHash: '6b7c9d58f' };
const running = { running: {} };
const waiting = { waiting: { reason: 'ImagePullBackOff' } };

function stateAfter(subject: Pod, images: Record<string, string>): InPlaceState {
  const change = { images, metadata: { labels: {}, annotations: {} } };
  const patch = startPatch(subject, revision, change, NOW) as {
    metadata: Pick<Pod['metadata'], 'annotations'>;
  };
  return JSON.parse(patch.metadata.annotations?.[IN_PLACE_STATE_ANNOTATION] ?? '') as InPlaceState;
}

describe('a change during a change (OpenKruise inplace-update, rule 6.5)', () => {
  const state = {
    revision: 'r',
    updateTimestamp: AT,
    lastContainerStatuses: { main: { imageID: 'sha256:aa' } },
  };
  const side = { name: 'side', imageID: 'sha256:ss', image: 's:1', restartCount: 1 };
  const images = { main: 'web:2', side: 's:1' };

  test('containers that the kubelet has not restarted yet are recorded with their restarts', () => {
    const main = { name: 'main', imageID: 'sha256:aa', image: 'web:1', restartCount: 4 };
    const after = stateAfter(pod({ images, state, statuses: [main, side] }), { main: 'web:1' });
    expect(after.unsettled).toEqual({ main: 4 });
  });

  test('they stay recorded, and further ones are added with each change', () => {
    const main = { name: 'main', imageID: 'sha256:aa', image: 'web:1', restartCount: 4 };
    const before = {
      ...state,
      lastContainerStatuses: { side: { imageID: 'sha256:ss' } },
      unsettled: { main: 3 },
    };
    const after = stateAfter(pod({ images, state: before, statuses: [main, side] }), { main: 'web:3' });
    expect(after.unsettled).toEqual({ main: 4, side: 1 });
  });

  test.each([
    ['a change that is complete', state],
    ['none', undefined],
  ])('after %s nothing is', (_, before) => {
    const main = { name: 'main', imageID: 'sha256:bb', image: 'web:2', restartCount: 5 };
    expect(
      stateAfter(pod({ images, state: before, statuses: [main, side] }), { main: 'web:1' }),
    ).not.toHaveProperty('unsettled');
  });
});

describe('a change during a resize', () => {
  const one = { requests: { cpu: '1' } };
  const two = { requests: { cpu: '2' } };

  function during(restartPolicy: string, state: object): Pod {
    const main = { name: 'main', image: 'web:1', restartCount: 0, state: running, resources: one };
    const whole = pod({ state: { revision: 'r', updateTimestamp: AT, updateResources: true, ...state } });
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy }];
    return projectPod(
      {
        ...whole,
        spec: { ...whole.spec, containers: [{ name: 'main', image: 'web:1', resources: two, resizePolicy }] },
        status: { ...whole.status, containerStatuses: [main] },
      },
      createIntern(),
    );
  }

  const given = { containerBatchesRecord: [{ timestamp: AT, containers: ['main'] }] };
  const recorded = { nextContainerResources: { main: two } };

  test.each<[string, string, object, object]>([
    ['that restarts the container', 'RestartContainer', given, { main: 0 }],
    ['that restarts it, and may have been asked for', 'RestartContainer', recorded, { main: 0 }],
    ['that does not restart it', 'NotRequired', given, {}],
  ])('%s', (_, restartPolicy, state, unsettled) => {
    expect(stateAfter(during(restartPolicy, state), { main: 'web:2' }).unsettled).toEqual(unsettled);
  });
});

describe('a pod that was reverted during an update', () => {
  interface Seen {
    status?: Partial<ContainerStatus>;
    after?: number;
    observed?: number;
  }

  function takenBack({ status = {}, observed = 2 }: Seen): Pod {
    const main = {
      name: 'main',
      imageID: 'sha256:aa',
      image: 'web:1',
      restartCount: 4,
      state: running,
      ...status,
    };
    const whole = pod({
      images: { main: 'web:1' },
      state: {
        revision: 'r',
        updateTimestamp: AT,
        lastContainerStatuses: { main: { imageID: 'sha256:aa' } },
        restartCounts: { main: 4 },
        unsettled: { main: 4 },
      },
      statuses: status.name === '' ? [] : [main],
    });
    return {
      ...whole,
      metadata: { ...whole.metadata, generation: 3 },
      spec: { ...whole.spec, terminationGracePeriodSeconds: 5 },
      status: { ...whole.status, observedGeneration: observed },
    };
  }

  test.each<[string, Seen, boolean]>([
    ['has a good status, and may be stopped at any time', {}, false],
    ['was restarted', { status: { restartCount: 5 } }, true],
    ['the kubelet has observed the last change', { observed: 3 }, true],
    ['the time to stop it has passed', { after: 15_000 }, true],
    ['could still be stopped', { after: 14_999 }, false],
    ['was restarted and does not run', { status: { restartCount: 5, state: waiting }, observed: 3 }, false],
    [
      'runs an image that is not wanted any more',
      { status: { image: 'web:2', imageID: 'sha256:bb', restartCount: 5 }, observed: 3 },
      false,
    ],
    ['has no status', { status: { name: '' }, after: 60_000, observed: 3 }, false],
  ])('%s', (_, seen, complete) => {
    const subject = takenBack(seen);
    const now = NOW + (seen.after ?? 1_000);
    expect(isInPlaceUpdateComplete(subject, now)).toBe(complete);
    expect(isInPlaceUpdateComplete(projectPod(subject, createIntern()), now)).toBe(complete);
  });

  test('the target is reconciled when the time to stop it has passed', () => {
    expect(settlesAt(takenBack({}))).toBe(NOW + 15_000);
  });

  test('its restarts are those of the updates', () => {
    expect(unexplainedRestarts(takenBack({ status: { restartCount: 5 } }))).toBe(0);
    expect(unexplainedRestarts(takenBack({ status: { restartCount: 6 } }))).toBe(1);
  });
});
