import { describe, expect, test } from 'vitest';
import { hasForeignCause } from '../../../semantics/pod/foreign-cause.ts';
import { restartedWhenAvailable } from '../../../semantics/pod/restarted.ts';
import { isAvailable } from '../../../semantics/pod/readiness.ts';
import {
  hasUnfinishedSidecarChange,
  SIDECAR_STATE_ANNOTATION,
} from '../../../semantics/pod/sidecar-changes.ts';
import type { ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import { pod, yes, no } from './pods.ts';

const DECLARED: ReadonlySet<string> = new Set(['main']);
const NOW = Date.UTC(2026, 0, 2, 12);

const status = (name: string, parts: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  ready: true,
  restartCount: 0,
  image: `${name}:1`,
  imageID: `${name}@1`,
  ...parts,
});

/** A ready pod of a container `main` and a sidecar `log`, with the record that a set has written. */
function withSidecar(parts: {
  image?: string;
  record?: unknown;
  log?: Partial<ContainerStatus>;
  main?: Partial<ContainerStatus>;
  ready?: ReturnType<typeof yes>;
}): Pod {
  const { image = 'log:1', record, log, main, ready = yes('Ready') } = parts;
  const made = pod({
    images: { main: 'main:1', log: image },
    statuses: [status('main', main), status('log', log)],
    conditions: [ready, yes('InPlaceUpdateReady')],
  });
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  return record === undefined
    ? made
    : { ...made, metadata: { ...made.metadata, annotations: { [SIDECAR_STATE_ANNOTATION]: text } } };
}

const change = { log: { lastContainerStatuses: { log: { imageID: 'log@1' } } } };

describe('a set has changed an image, and the kubelet has not acted on it yet', () => {
  test.each<[string, Pod, boolean]>([
    ['no set has changed it', withSidecar({}), false],
    ['the old image runs', withSidecar({ image: 'log:2', record: change }), true],
    [
      'another image runs',
      withSidecar({ image: 'log:2', record: change, log: { imageID: 'log@2', image: 'log:2' } }),
      false,
    ],
    [
      'the same image under another name runs',
      withSidecar({ image: 'log:2', record: change, log: { image: 'log:2' } }),
      false,
    ],
    ['the image was changed back before the kubelet acted', withSidecar({ record: change }), false],
    ['one of two sets has', withSidecar({ image: 'log:2', record: { ...change, mesh: {} } }), true],
    [
      'a container that is gone',
      withSidecar({ record: { log: { lastContainerStatuses: { gone: { imageID: 'x' } } } } }),
      false,
    ],
    ['an unreadable record', withSidecar({ image: 'log:2', record: '{' }), false],
    [
      'a record of another form',
      withSidecar({ image: 'log:2', record: { log: 1, mesh: { lastContainerStatuses: [] } } }),
      false,
    ],
  ])('%s', (_, found, expected) => {
    expect(hasUnfinishedSidecarChange(found)).toBe(expected);
    // Its owner counts it as unavailable meanwhile.
    expect(isAvailable(found, 0, NOW)).toBe(!expected);
  });
});

const since = (time: string, type = 'Ready') => ({ ...yes(type), lastTransitionTime: time });
const running = (startedAt: string): Partial<ContainerStatus> => ({ state: { running: { startedAt } } });
const crashing: Partial<ContainerStatus> = { ready: false, restartCount: 3 };

describe('only others keep a pod from being available', () => {
  test.each<[string, Pod, boolean]>([
    ['a set changes it', withSidecar({ image: 'log:2', record: change }), true],
    ['a sidecar crashes', withSidecar({ log: crashing, ready: no('Ready') }), true],
    ['its own container crashes', withSidecar({ main: crashing, ready: no('Ready') }), false],
    ['both crash', withSidecar({ main: crashing, log: crashing, ready: no('Ready') }), false],
    ['all containers are ready, and another gate is closed', withSidecar({ ready: no('Ready') }), false],
    [
      'it is ready since a sidecar has started',
      withSidecar({
        ready: since('2026-01-02T11:00:05Z'),
        log: running('2026-01-02T11:00:05Z'),
        main: running('2026-01-01T00:00:00Z'),
      }),
      true,
    ],
    [
      'it is ready since its own container has started',
      withSidecar({
        ready: since('2026-01-02T11:00:05Z'),
        log: running('2026-01-02T11:00:00Z'),
        main: running('2026-01-02T11:00:05Z'),
      }),
      false,
    ],
    [
      'it was ready before a sidecar has started',
      withSidecar({
        ready: since('2026-01-01T00:00:00Z'),
        log: running('2026-01-02T11:00:05Z'),
        main: running('2025-01-01T00:00:00Z'),
      }),
      false,
    ],
    ['when its containers have started is not observed', withSidecar({}), false],
  ])('%s', (_, found, expected) => {
    expect(hasForeignCause(found, DECLARED, 0)).toBe(expected);
  });

  test('the containers of its template are not known: only a change counts', () => {
    expect(hasForeignCause(withSidecar({ log: crashing, ready: no('Ready') }), undefined, 0)).toBe(false);
    expect(hasForeignCause(withSidecar({ image: 'log:2', record: change }), undefined, 0)).toBe(true);
  });
});

test('a restart of a sidecar is no restart of a pod that had been available', () => {
  const crashed = {
    restartCount: 1,
    state: { running: { startedAt: '2026-01-02T11:00:10Z' } },
    lastState: { terminated: { startedAt: '2026-01-02T10:00:00Z', finishedAt: '2026-01-02T11:00:00Z' } },
  };
  expect(restartedWhenAvailable(withSidecar({ main: crashed }), 0, DECLARED)).toBe(true);
  expect(restartedWhenAvailable(withSidecar({ log: crashed }), 0, DECLARED)).toBe(false);
  expect(restartedWhenAvailable(withSidecar({ log: crashed }), 0)).toBe(true);
});
