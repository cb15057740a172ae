import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { afterBarrier, barrierOver, withLaunchOrder } from '../../../semantics/launch/barrier.ts';
import { invalidLaunchOrder } from '../../../semantics/launch/invalid.ts';
import { releases } from '../../../semantics/launch/release.ts';
import { awaitedBy, isLaunching } from '../../../semantics/pod/launching.ts';
import { locationOf } from '../../../semantics/pod/location.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import type { Container, ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import { createIntern } from '../../../runtime/observe/intern.ts';

const ORDER = 'apps.kruise.io/container-launch-priority';
const DONE = 'apps.kruise.io/container-launch-priority-completed';
const RELEASED = 'plan.kruise.io/launch-priority';
const RELEASED_AT = 'plan.kruise.io/launch-released';
const NOON = Date.UTC(2026, 0, 1, 12);

/** A pod with containers `a`, `b`, … of these priorities; undefined: it has no variable. */
function podOf(priorities: readonly (string | undefined)[], annotations: Record<string, string> = {}): Pod {
  const containers = priorities.map((value, at): Container => {
    const env = value === undefined ? [] : [{ name: 'KRUISE_CONTAINER_PRIORITY', value }];
    return { name: 'abc'[at] ?? '', image: 'x:1', env: [{ name: 'OWN', value: '1' }, ...env] };
  });
  const metadata = { name: 'web-0', namespace: 'shop', uid: 'u-1', resourceVersion: '7', annotations };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } };
}

/** The keys that the containers of a pod wait for; `-`: none. */
const keysOf = (pod: KubeObject): string =>
  (pod as Pod).spec.containers
    .map(({ env }) => {
      const last = (
        env as { name: string; valueFrom?: { configMapKeyRef: { name: string; key: string } } }[]
      ).at(-1);
      if (last?.name !== 'KRUISE_CONTAINER_BARRIER') return '-';
      expect(last.valueFrom?.configMapKeyRef.name).toBe('web-0-barrier');
      return last.valueFrom?.configMapKeyRef.key;
    })
    .join(' ');

describe('what the containers of a new pod wait for', () => {
  test.each([
    ['a higher priority in one of two (LP-1)', [undefined, '10'], {}, 'p_0 p_10'],
    ['by position (LP-2)', [undefined, undefined, undefined], { [ORDER]: 'Ordered' }, 'p_0 p_-1 p_-2'],
    ['by position, whatever the numbers (LP-3)', ['1', '5', '9'], { [ORDER]: 'Ordered' }, 'p_0 p_-1 p_-2'],
    ['nothing, where all are the same (LP-4)', ['5', '5'], {}, '- -'],
    ['nothing, where none has a number (LP-4)', [undefined, undefined], {}, '- -'],
    ['nothing, where there is one container (LP-5)', ['5'], { [ORDER]: 'Ordered' }, '-'],
    ['nothing, with another value of the annotation', [undefined, undefined], { [ORDER]: 'ordered' }, '- -'],
    ['signs and zeros', ['+5', '-0', '007'], {}, 'p_5 p_0 p_7'],
  ] as const)('%s', (_, priorities, annotations, expected) => {
    expect(keysOf(withLaunchOrder(podOf(priorities, annotations)))).toBe(expected);
  });

  test('a barrier that somebody wrote is replaced, or taken away (LP-17)', () => {
    const own = { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { key: 'x' } } };
    const withOwn = (pod: Pod): Pod => ({
      ...pod,
      spec: {
        containers: pod.spec.containers.map((each) => ({
          ...each,
          env: [own, ...(each['env'] as object[])],
        })),
      },
    });
    const made = withLaunchOrder(withOwn(podOf(['1', '2']))) as Pod;
    expect(keysOf(made)).toBe('p_1 p_2');
    expect(made.spec.containers.map(({ env }) => (env as object[]).length)).toEqual([3, 3]);
    expect(keysOf(withLaunchOrder(withOwn(podOf(['1', '1']))))).toBe('- -');
  });

  test('native sidecars and init containers wait for nothing (LP-22)', () => {
    const pod = podOf(['1', '2']);
    const initContainers: Container[] = [{ name: 'log', image: 'log:1', restartPolicy: 'Always' }];
    const made = withLaunchOrder({ ...pod, spec: { ...pod.spec, initContainers } }) as Pod;
    expect(made.spec.initContainers).toEqual(initContainers);
  });

  test.each([
    ['no list', {}],
    ['odd variables', { env: [null, 'x', 5] }],
  ])('a revision with %s is no error', (_, more) => {
    const pod = podOf(['1', '2']);
    const containers = pod.spec.containers.map((each) => ({ name: each.name, image: each.image, ...more }));
    expect(() => withLaunchOrder({ ...pod, spec: { containers } })).not.toThrow();
  });
});

test.each([
  ['10', 0],
  ['abc', 1],
  ['', 1],
  ['99999999999', 1],
])('the priority %j is invalid in %i places (LP-6)', (value, count) => {
  const template = { spec: podOf([undefined, value]).spec as unknown as JsonObject };
  const found = invalidLaunchOrder(template);
  expect(found).toHaveLength(count);
  for (const { path } of found) expect(path.join('.')).toBe('spec.template.spec.containers.1.env.1.value');
});

const target: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'shop', uid: 't-1' },
};
const create = (object: KubeObject) =>
  ({ do: 'create', kind: 'Pod', verb: 'create', reason: '', object }) as const;

test('a pod is created after its ConfigMap, which has its name and the highest key alone (LP-7, LP-8)', () => {
  const pod = create(withLaunchOrder(podOf(['3', '10', '10'])));
  expect(afterBarrier(pod, target)).toMatchObject({
    do: 'create',
    kind: 'ConfigMap',
    object: {
      metadata: {
        name: 'web-0-barrier',
        namespace: 'shop',
        ownerReferences: [{ kind: 'CloneSet', uid: 't-1' }],
      },
      data: { p_10: 'true' },
    },
    next: pod,
  });
  const plain = create(podOf(['1', '1']));
  expect(afterBarrier(plain, target)).toBe(plain);
});

/** A pod of three containers by position; in `ready` a letter for each that is ready. */
function running(ready: string, annotations: Record<string, string> = {}, waiting: object = {}): Pod {
  const made = withLaunchOrder(podOf([undefined, undefined, undefined], { [ORDER]: 'Ordered' })) as Pod;
  const containerStatuses = made.spec.containers.map(({ name }): ContainerStatus => {
    const isReady = ready.includes(name);
    return { name, ready: isReady, state: isReady ? { running: {} } : { waiting } };
  });
  const metadata = { ...made.metadata, annotations: { ...made.metadata.annotations, ...annotations } };
  return { ...made, metadata, status: { containerStatuses } };
}

/** The writes of a release: `keys > annotations`. `isPlaced`: of a pod of a kind that runs on nodes. */
function released(pod: Pod, isPlaced = false): string {
  const kept = projectPod(pod, createIntern(), isPlaced);
  const { actions, requeueAt } = releases([pod], new Set(), NOON);
  expect(releases([kept], new Set(), NOON)).toEqual({ actions, requeueAt });
  if (requeueAt !== undefined) return `in ${(requeueAt - NOON) / 1000} s`;
  return actions
    .map(({ object, next }) => {
      const keys = Object.keys(object['data'] as object).join(' ');
      if (next?.do !== 'patch') return keys;
      const { metadata } = next.body as {
        metadata: { annotations: object; uid: string; resourceVersion: string };
      };
      expect([metadata.uid, metadata.resourceVersion]).toEqual(['u-1', '7']);
      const { ownerReferences } = object.metadata;
      expect(ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'u-1' }]);
      const { [RELEASED_AT]: at, ...others } = metadata.annotations as Record<string, string>;
      expect(at).toBe('2026-01-01T12:00:00Z');
      return `${keys} > ${Object.values(others).join(' ')}`;
    })
    .join('; ');
}

describe('when the next containers of a pod may start', () => {
  test.each([
    ['a new pod takes its ConfigMap over', '', {}, 'p_0 > 0'],
    ['not before the first is ready (LP-9)', '', { [RELEASED]: '0' }, ''],
    ['the second when the first is ready (LP-9)', 'a', { [RELEASED]: '0' }, 'p_0 p_-1 > -1'],
    ['the last when both are ready (LP-11)', 'ab', { [RELEASED]: '-1' }, 'p_0 p_-1 p_-2 > -2 true'],
    ['several at once after a downtime (LP-20)', 'ab', {}, 'p_0 p_-1 p_-2 > -2 true'],
    ['not the last while the first is unready again (LP-14)', 'b', { [RELEASED]: '-1' }, ''],
    ['nothing once all may start (LP-15)', '', { [RELEASED]: '-2', [DONE]: 'true' }, ''],
    ['all are ready, and nothing is recorded', 'abc', {}, 'p_0 p_-1 p_-2 > -2 true'],
    ['what is recorded is no priority of the pod', '', { [RELEASED]: '-9' }, 'p_0 > 0'],
    ['what is recorded is no number', '', { [RELEASED]: 'x' }, 'p_0 > 0'],
  ] as const)('%s', (_, ready, annotations, expected) => {
    expect(released(running(ready, annotations))).toBe(expected);
  });

  test.each([
    ['has done its work, and is not started again', 'Never', 0, 'p_0 p_-1 > -1'],
    ['the same where failures are', 'OnFailure', 0, 'p_0 p_-1 > -1'],
    ['is started again', 'Always', 0, ''],
    ['has failed', 'Never', 1, ''],
  ])('the first container was ready while nobody looked, and %s', (_, restartPolicy, exitCode, expected) => {
    const pod = running('', { [RELEASED]: '0' });
    const [first, ...others] = pod.status?.containerStatuses ?? [];
    const ended = { name: 'a', ...first, ready: false, state: { terminated: { exitCode } } };
    const spec = { ...pod.spec, restartPolicy };
    expect(released({ ...pod, spec, status: { containerStatuses: [ended, ...others] } }, true)).toBe(
      expected,
    );
  });

  test('containers of one priority start together (LP-10)', () => {
    const made = withLaunchOrder(podOf(['5', '9', '5'])) as Pod;
    const status = { containerStatuses: [{ name: 'b', ready: true }] };
    expect(released({ ...made, status })).toBe('p_9 p_5 > 5 true');
  });

  test('a ConfigMap that is gone is made again, with all that may start', () => {
    const gone = { reason: 'CreateContainerConfigError', message: 'configmap "web-0-barrier" not found' };
    expect(released(running('a', { [RELEASED]: '-2', [DONE]: 'true' }, gone))).toBe(
      'p_0 p_-1 p_-2 > -2 true',
    );
    expect(released(running('a', { [DONE]: 'true' }, gone))).toBe('p_0 p_-1 p_-2 > -2 true');
    expect(released(running('', { [RELEASED]: '0' }, gone))).toBe('p_0 > 0');
    const other = { ...gone, message: 'configmap "settings" not found' };
    expect(released(running('', { [RELEASED]: '0' }, other))).toBe('');
  });

  const lacking = (key: string): object => ({
    reason: 'CreateContainerConfigError',
    message: `couldn't find key ${key} in ConfigMap shop/web-0-barrier`,
  });

  test('a key that is gone is written again, and no key of a container that may not start', () => {
    expect(released(running('ac', { [RELEASED]: '-2', [DONE]: 'true' }, lacking('p_-1')))).toBe(
      'p_0 p_-1 p_-2 > -2 true',
    );
    expect(released(running('', { [RELEASED]: '0' }, lacking('p_0')))).toBe('p_0 > 0');
    // `a` runs and is not ready: the others wait for their order.
    const pod = running('', { [RELEASED]: '0' }, lacking('p_-1'));
    const [first, ...others] = pod.status?.containerStatuses ?? [];
    const containerStatuses = [{ ...first, name: 'a', state: { running: {} } }, ...others];
    expect(released({ ...pod, status: { containerStatuses } })).toBe('');
    const other = { ...lacking('p_0'), message: "couldn't find key p_0 in ConfigMap shop/settings" };
    expect(released(running('', { [RELEASED]: '0' }, other))).toBe('');
  });

  test('what was written within a minute is not written again: its kubelet has not tried yet', () => {
    const at = (time: string): Record<string, string> => ({ [RELEASED]: '0', [RELEASED_AT]: time });
    const cases = ['2026-01-01T11:59:50Z', '2026-01-01T11:59:00Z', 'x'];
    expect(cases.map((time) => released(running('', at(time), lacking('p_0'))))).toEqual([
      'in 50 s',
      'p_0 > 0',
      'p_0 > 0',
    ]);
    // The next release does not wait.
    expect(released(running('a', at('2026-01-01T11:59:50Z'), lacking('p_0')))).toBe('p_0 p_-1 > -1');
  });

  test('pods that are deleted, over, written anyway, or of another barrier wait', () => {
    const pod = running('a', { [RELEASED]: '0' });
    expect(isLaunching(pod)).toBe(true);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(isLaunching({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } })).toBe(false);
    expect(isLaunching({ ...pod, status: { ...pod.status, phase: 'Failed' } })).toBe(false);
    expect(isLaunching({ ...pod, metadata: { ...pod.metadata, name: 'web-1' } })).toBe(false);
    expect(releases([pod], new Set(['web-0']), NOON).actions).toEqual([]);
  });
});

describe('what a pod waits for, in words', () => {
  const waiting = {
    reason: 'CreateContainerConfigError',
    message: "couldn't find key p_-1 in ConfigMap shop/web-0-barrier",
  };
  test('the containers that are not ready', () => {
    expect(awaitedBy(running('a', {}, waiting), 'c')).toEqual(['b']);
    expect(awaitedBy(running('ab', {}, waiting), 'c')).toBeUndefined();
    const pod = running('', {}, waiting);
    const [, ...rest] = pod.status?.containerStatuses ?? [];
    const unready = { name: 'a', ready: false, state: { running: {} } };
    expect(locationOf({ ...pod, status: { containerStatuses: [unready, ...rest] } }).problem).toBe(
      'b: waits until a is ready, by its launch priority',
    );
    expect(awaitedBy(pod, 'c')).toEqual(['a', 'b']);
  });

  test('another problem comes first', () => {
    const pod = running('', {}, waiting);
    const [first, ...rest] = pod.status?.containerStatuses ?? [];
    const crashing = { ...first, name: 'a', state: { waiting: { reason: 'CrashLoopBackOff' } } };
    expect(locationOf({ ...pod, status: { containerStatuses: [...rest, crashing] } }).problem).toBe(
      'a: CrashLoopBackOff',
    );
  });

  test('a variable that is really missing is a problem', () => {
    expect(locationOf(running('ab', {}, waiting)).problem).toBe('c: CreateContainerConfigError');
  });
});

describe('a ConfigMap that exists', () => {
  const wanted = afterBarrier(create(withLaunchOrder(podOf(['1', '2']))), target).object;
  const own = releases([running('a', { [RELEASED]: '0' })], new Set(), NOON).actions[0]?.object as KubeObject;
  const owned = (by: KubeObject, data: object, more: object = {}): KubeObject => ({
    ...by,
    metadata: { ...by.metadata, resourceVersion: '3' },
    data,
    ...more,
  });

  test.each([
    [
      'of an earlier pod of the name is reset (LP-16)',
      owned(own, { p_2: 'true', p_1: 'true' }),
      wanted,
      { p_2: 'true' },
    ],
    ['is not written without need (LP-21)', owned(own, { p_0: 'true', 'p_-1': 'true' }), own, undefined],
    ['gets the next key', owned(own, { p_0: 'true' }), own, { p_0: 'true', 'p_-1': 'true' }],
    [
      'keeps keys that another controller has added for the pod',
      owned(own, { p_0: 'true', 'p_-2': 'true' }),
      own,
      { p_0: 'true', 'p_-1': 'true', 'p_-2': 'true' },
    ],
    ['with settings is not touched', owned(own, { color: 'red' }), own, 'taken'],
    ['with files is not touched', owned(own, {}, { binaryData: { a: '' } }), own, 'taken'],
    ['of nobody is not touched', { ...wanted, metadata: { name: 'web-0-barrier' } }, own, 'taken'],
  ] as const)('%s', (_, found, next, expected) => {
    const over = barrierOver(found, next);
    expect(typeof over === 'object' ? over['data'] : over).toEqual(expected);
    if (typeof over === 'object')
      expect(over.metadata).toMatchObject({
        resourceVersion: '3',
        ownerReferences: next.metadata.ownerReferences,
      });
  });
});
