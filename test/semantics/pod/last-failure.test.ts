import { describe, expect, test } from 'vitest';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { failureOf } from '../../../semantics/pod/failure.ts';
import { lastFailure } from '../../../semantics/pod/last-failure.ts';
import { locationOf } from '../../../semantics/pod/location.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import type { ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import { pod } from './pods.ts';

/** What a runtime knows of a pod: rules read only what its cache has. */
function cached(status: Pod['status'], init: Pod['spec']['initContainers'] = [], isPlaced = false): Pod {
  const { spec, ...parts } = pod();
  const own = {
    ...spec,
    ...(isPlaced && { restartPolicy: 'Never' }),
    initContainers: init,
    containers: [{ name: 'main', image: 'web:1' }],
  };
  return projectPod({ ...parts, spec: own, status: status ?? {} }, createIntern(), isPlaced);
}

const failureIn = (status: Partial<ContainerStatus>): string | undefined =>
  locationOf(cached({ containerStatuses: [{ name: 'main', ...status }] })).failure;

const ended = (parts: object): object => ({ terminated: { exitCode: 1, reason: 'Error', ...parts } });

describe('how a container has failed', () => {
  test.each([
    [
      'crashes again and again: how it ended, and not how long the kubelet waits',
      {
        restartCount: 4,
        state: {
          waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' },
        },
        lastState: ended({ message: 'panic: no route to db\n' }),
      },
      'main exited with code 1: "panic: no route to db"',
    ],
    [
      'was killed for its memory, and runs again',
      {
        restartCount: 1,
        state: { running: {} },
        lastState: ended({ exitCode: 137, reason: 'OOMKilled' }),
      },
      'main exited with code 137, OOMKilled',
    ],
    [
      'lacks a Secret',
      { state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' } } },
      'main: "secret \'db\' not found"',
    ],
    [
      'has an image that is not there, while the kubelet waits',
      {
        state: {
          waiting: {
            reason: 'ImagePullBackOff',
            message: 'Back-off pulling image "web:9": ErrImagePull: rpc error: code = NotFound',
          },
        },
      },
      'main: "rpc error: code = NotFound"',
    ],
    [
      'has one, of a kubelet that does not repeat the error',
      { state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "web:9"' } } },
      undefined,
    ],
    ['starts', { state: { waiting: { reason: 'ContainerCreating', message: 'soon' } } }, undefined],
    ['runs', { restartCount: 0, ready: true, state: { running: {} } }, undefined],
    [
      'runs, and whose readiness probe fails: its words are in Events of the kubelet alone',
      { restartCount: 0, ready: false, state: { running: {} } },
      'main is running, and not ready',
    ],
    [
      'has crashed before, runs, and is not ready',
      { restartCount: 1, ready: false, state: { running: {} }, lastState: ended({}) },
      'main exited with code 1',
    ],
  ])('a container that %s', (_, status, expected) => {
    expect(failureIn(status)).toBe(expected);
  });

  test('an init container: no other says why the pod does not start', () => {
    const waiting = { reason: 'CrashLoopBackOff' };
    const lastState = ended({ exitCode: 3, message: 'migration failed' });
    const found = locationOf(
      cached(
        {
          containerStatuses: [{ name: 'main', state: { waiting: { reason: 'PodInitializing' } } }],
          initContainerStatuses: [{ name: 'migrate', restartCount: 2, state: { waiting }, lastState }],
        },
        [{ name: 'migrate', image: 'db:1' }],
      ),
    );
    expect(found.problem).toBe('migrate: CrashLoopBackOff');
    expect(found.failure).toBe('migrate exited with code 3: "migration failed"');
  });

  test.each([
    ['an ordinary one is never ready while it runs', {}, undefined],
    ['a restartable one has a probe', { restartPolicy: 'Always' }, 'copy is running, and not ready'],
  ])('an init container that runs: %s', (_, parts, expected) => {
    const status = {
      containerStatuses: [{ name: 'main', ready: false, state: { waiting: { reason: 'PodInitializing' } } }],
      initContainerStatuses: [{ name: 'copy', ready: false, state: { running: {} } }],
    };
    const init = [{ name: 'copy', image: 'copy:1', ...parts }];
    expect(lastFailure({ ...pod(), status, spec: { ...pod().spec, initContainers: init } })).toBe(expected);
  });

  test('a restart by an update is no failure, and the next one is', () => {
    const changed = JSON.stringify({
      revision: 'web-2',
      lastContainerStatuses: { main: { imageID: 'web:1' } },
    });
    const of = (restartCount: number): string | undefined => {
      const status = {
        name: 'main',
        restartCount,
        lastState: ended({ exitCode: 2 }),
        state: { running: {} },
      };
      const { metadata, ...parts } = cached({ containerStatuses: [status] });
      const annotations = { 'apps.kruise.io/inplace-update-state': changed };
      return locationOf({ ...parts, metadata: { ...metadata, annotations } }).failure;
    };
    expect([of(1), of(2)]).toEqual([undefined, 'main exited with code 2']);
  });

  test('those that others have added do not count', () => {
    const containerStatuses = ['mesh', 'main'].map((name) => ({
      name,
      restartCount: 1,
      lastState: ended({ message: `of ${name}` }),
    }));
    expect(locationOf(cached({ containerStatuses }), new Set(['main'])).failure).toContain('of main');
    // An init container of the pod's owner says nothing about what a SidecarSet adds.
    const initContainerStatuses = [{ name: 'init', state: ended({ exitCode: 1, message: 'of its owner' }) }];
    const both = cached({ containerStatuses, initContainerStatuses }, [{ name: 'init', image: 'i:1' }]);
    expect(locationOf(both, new Set(['main'])).failure).toContain('of main');
    expect(locationOf(both).failure).toContain('of its owner');
  });
});

describe('the words of a pod', () => {
  const words = (message: string): string =>
    failureIn({ restartCount: 1, state: { running: {} }, lastState: ended({ message }) }) ?? '';

  test('cannot close their quotation marks, nor control a terminal', () => {
    expect(words('no". Retry: "\u001b[2J\nsudo\u202e')).toBe(
      `main exited with code 1: "no'. Retry: '\\u001b[2J\\nsudo\\u202e"`,
    );
  });

  test.each([
    ['letters', 'x'.repeat(4_000)],
    ['control characters', '\u0007'.repeat(4_000)],
    ['letters of three bytes', '\u4e2d'.repeat(4_000)],
  ])('are cut to 200 bytes: %s', (_, text) => {
    const [, quote = ''] = /"…(.*)"$/.exec(words(`${text} out of disk`)) ?? [];
    expect(quote).toMatch(/ out of disk$/);
    expect(Buffer.byteLength(quote)).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(quote)).toBeGreaterThan(190);
  });
});

describe('why a pod that runs once has failed', () => {
  const failed = (parts: object): string | undefined =>
    failureOf(cached({ phase: 'Failed', ...parts }, [], true));

  test('its container', () => {
    const state = ended({ exitCode: 137, reason: 'OOMKilled', message: 'at 3 of 9 files' });
    expect(failed({ containerStatuses: [{ name: 'main', state }] })).toBe(
      'main exited with code 137, OOMKilled: "at 3 of 9 files"',
    );
  });

  test('its kubelet', () => {
    expect(failed({ reason: 'Evicted', message: 'The node was low on resource: memory.' })).toBe(
      'Evicted: "The node was low on resource: memory."',
    );
  });
});
