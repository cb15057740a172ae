import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../schemas/wire/object.ts';
import { unexplainedRestarts } from '../../../semantics/pod/in-place.ts';
import { isActive, isAvailable, isUpdateReady } from '../../../semantics/pod/readiness.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { type ContainerStatus, IN_PLACE_READY, LIFECYCLE_LABEL } from '../../../semantics/pod/types.ts';
import { AT, drained, no, type Parts, pod, yes } from './pods.ts';

describe('restarts that are not caused by an update', () => {
  interface Updated {
    changed: string[];
    counts?: Record<string, number>;
  }
  const cases: [string, Updated | undefined, ContainerStatus[], number][] = [
    ['none', undefined, [{ name: 'main', restartCount: 0 }], 0],
    ['of a pod never updated', undefined, [{ name: 'main', restartCount: 2 }], 2],
    [
      'over all containers',
      undefined,
      [
        { name: 'main', restartCount: 2 },
        { name: 'side', restartCount: 1 },
      ],
      3,
    ],
    [
      'one restart belongs to the update',
      { changed: ['main'], counts: { main: 2 } },
      [{ name: 'main', restartCount: 3 }],
      0,
    ],
    [
      'and no more than one',
      { changed: ['main'], counts: { main: 2 } },
      [{ name: 'main', restartCount: 4 }],
      1,
    ],
    [
      'the update has not restarted the container yet',
      { changed: ['main'], counts: { main: 2 } },
      [{ name: 'main', restartCount: 2 }],
      0,
    ],
    [
      'of a container that was not changed all count',
      { changed: ['main'], counts: { main: 0, side: 0 } },
      [{ name: 'side', restartCount: 1 }],
      1,
    ],
    [
      'restarts by an earlier update do not count',
      { changed: ['side'], counts: { main: 1, side: 0 } },
      [
        { name: 'main', restartCount: 1 },
        { name: 'side', restartCount: 1 },
      ],
      0,
    ],
    [
      'a state that OpenKruise wrote has no restart counts',
      { changed: ['main'] },
      [{ name: 'main', restartCount: 1 }],
      0,
    ],
  ];
  test.each(cases)('%s', (_, last, statuses, expected) => {
    const state =
      last === undefined
        ? undefined
        : {
            revision: 'r',
            updateTimestamp: AT,
            lastContainerStatuses: Object.fromEntries(last.changed.map((name) => [name, { imageID: 'a' }])),
            ...(last.counts === undefined ? {} : { restartCounts: last.counts }),
          };
    expect(unexplainedRestarts(pod({ state, statuses }))).toBe(expected);
  });
});

describe('ready and available', () => {
  const readyAt = (ms: number): Condition => ({
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(ms),
  });
  const now = Date.UTC(2026, 0, 1, 0, 0, 30);
  const cases: [string, Parts, number, boolean][] = [
    ['ready is enough for zero seconds', { conditions: [readyAt(now)] }, 0, true],
    ['exactly ten seconds are not yet ten', { conditions: [readyAt(now - 10_000)] }, 10, false],
    ['eleven are', { conditions: [readyAt(now - 11_000)] }, 10, true],
    ['its gate is closed by an update', { conditions: [readyAt(now), drained] }, 0, false],
    ['the gate is open', { conditions: [readyAt(now), yes(IN_PLACE_READY)] }, 0, true],
    ['not running', { phase: 'Pending', conditions: [readyAt(now)] }, 0, false],
    ['not ready', { conditions: [no('Ready')] }, 0, false],
  ];
  test.each(cases)('%s', (_, parts, seconds, expected) => {
    expect(isUpdateReady(pod(parts), seconds, now)).toBe(expected);
  });

  test.each([
    [undefined, true],
    ['', true],
    ['Normal', true],
    ['PreparingNormal', false],
    ['Updating', false],
    ['PreparingDelete', false],
  ])('in lifecycle state %s available is %s, ready is so in all (CS-3)', (state, expected) => {
    const subject = pod({
      conditions: [readyAt(now)],
      ...(state === undefined ? {} : { labels: { [LIFECYCLE_LABEL]: state } }),
    });
    expect(isAvailable(subject, 0, now)).toBe(expected);
    expect(isUpdateReady(subject, 0, now)).toBe(true);
  });

  test.each(['Succeeded', 'Failed'])('a pod that has %s does not count', (phase) => {
    expect(isActive(pod({ phase }))).toBe(false);
  });
});
