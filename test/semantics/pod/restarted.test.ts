import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../schemas/wire/object.ts';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import { restartedWhenAvailable } from '../../../semantics/pod/restarted.ts';
import { type ContainerStatus, IN_PLACE_READY, type Pod } from '../../../semantics/pod/types.ts';
import { type Parts, pod } from './pods.ts';

/** A time in the same hour, as minutes and seconds. */
const at = (time: string): string => `2026-01-02T03:${time}Z`;

/** A container that ran once, restarted, and runs. */
const crashed = (ran: [string, string], parts: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'main',
  restartCount: 1,
  state: { running: { startedAt: at('30:00') } },
  lastState: { terminated: { startedAt: at(ran[0]), finishedAt: at(ran[1]) } },
  ...parts,
});

const ready = (status: 'True' | 'False', since: string): Condition => ({
  type: 'Ready',
  status,
  lastTransitionTime: at(since),
});
const open: Condition = { type: IN_PLACE_READY, status: 'True', lastTransitionTime: at('10:00') };

/** A pod whose one container ran for five seconds before its restart, and is ready again. */
const unprobed = (parts: Parts = {}): Pod =>
  pod({ statuses: [crashed(['10:01', '10:06'])], conditions: [open, ready('True', '30:00')], ...parts });

const probed = (parts: Parts): Pod => {
  const made = unprobed(parts);
  const containers = made.spec.containers.map((each) => ({ ...each, readinessProbe: {} }));
  return { ...made, spec: { ...made.spec, containers } };
};

describe('a container restarted after its pod had been available', () => {
  test.each<[string, Pod, number, boolean]>([
    ['without a probe, after some seconds', unprobed(), 0, true],
    ['it ended at once', unprobed({ statuses: [crashed(['10:01', '10:01'])] }), 0, false],
    ['it ran for as long as minReadySeconds', unprobed(), 5, true],
    ['it ran for less', unprobed(), 6, false],
    [
      'its gate was open for less',
      unprobed({ conditions: [{ ...open, lastTransitionTime: at('10:03') }] }),
      4,
      false,
    ],
    [
      'it never restarted',
      unprobed({ statuses: [crashed(['10:01', '10:06'], { restartCount: 0 })] }),
      0,
      false,
    ],
    ['its last run is not known', unprobed({ statuses: [crashed(['', ''])] }), 0, false],
    [
      'it is drained for an update',
      unprobed({ conditions: [{ ...open, status: 'False', reason: 'StartInPlaceUpdate' }] }),
      0,
      false,
    ],
    [
      'the in-place update restarted it',
      unprobed({
        state: {
          revision: 'r',
          updateTimestamp: at('09:00'),
          lastContainerStatuses: { main: { imageID: 'a' } },
          restartCounts: { main: 0 },
        },
      }),
      0,
      false,
    ],
    ['with a probe: the pod has been ready again since', probed({}), 0, false],
    [
      'with a probe: the pod became not ready in that run',
      probed({ conditions: [open, ready('False', '10:06')] }),
      0,
      true,
    ],
    [
      'with a probe: the pod was never ready',
      probed({ conditions: [open, ready('False', '10:00')] }),
      0,
      false,
    ],
    [
      'with a probe: the pod was ready all the time',
      probed({ conditions: [open, ready('True', '10:03')] }),
      0,
      true,
    ],
    ['with a probe: ready for less', probed({ conditions: [open, ready('True', '10:03')] }), 4, false],
    ['with a gate of another controller', unprobed({ gates: [IN_PLACE_READY, 'example.com/lb'] }), 0, false],
    ...others(),
  ])('%s', (_, subject, minReadySeconds, expected) => {
    expect(restartedWhenAvailable(subject, minReadySeconds)).toBe(expected);
    expect(restartedWhenAvailable(projectPod(subject, createIntern()), minReadySeconds)).toBe(expected);
  });
});

/** A second container that started before the crash of the first, or after it, or not yet. */
function others(): [string, Pod, number, boolean][] {
  const beside = (state: object): Pod =>
    unprobed({
      images: { main: 'web:1', log: 'log:1' },
      statuses: [crashed(['10:01', '10:06']), { name: 'log', restartCount: 0, state }],
    });
  return [
    ['the other container ran', beside({ running: { startedAt: at('10:04') } }), 0, true],
    ['the other container started later', beside({ running: { startedAt: at('10:09') } }), 0, false],
    ['the other container has not started', beside({ waiting: { reason: 'ContainerCreating' } }), 0, false],
  ];
}
