import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import {
  type ContainerFacts,
  type HotPair,
  hotPairs,
  hotState,
  phaseOf,
} from '../../../semantics/sidecarset/hot-pair.ts';
import { injectableOf } from '../../../semantics/sidecarset/normalize.ts';
import { sidecar } from './model.ts';

const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
const { containers: SIDECARS } = injectableOf({
  containers: [sidecar('mesh', { upgradeStrategy }), sidecar('log')],
});

function podWith(images: readonly [string, string], working: string, versions: readonly string[] = []): Pod {
  const [first = '1', second = '1'] = versions;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      annotations: {
        'kruise.io/sidecarset-working-hotupgrade-container': JSON.stringify({ mesh: working }),
        'version.sidecarset.kruise.io/mesh-1': first,
        'version.sidecarset.kruise.io/mesh-2': second,
      },
    },
    spec: {
      containers: [
        ...images.map((image, index) => ({ name: `mesh-${index + 1}`, image })),
        { name: 'log', image: 'log:1' },
      ],
    },
  };
}

describe('which half works', () => {
  test.each<[what: string, pod: Pod, working: string, isChanging: boolean]>([
    ['the first', podWith(['mesh:1', 'empty:1'], 'mesh-1'), 'mesh-1', false],
    ['the second', podWith(['empty:1', 'mesh:1'], 'mesh-2'), 'mesh-2', false],
    ['the new one during an upgrade', podWith(['mesh:1', 'mesh:2'], 'mesh-2'), 'mesh-2', true],
    [
      'the only one with an image, whatever is on record',
      podWith(['mesh:1', 'empty:1'], 'mesh-2'),
      'mesh-1',
      false,
    ],
    ['another name on record is that of the second', podWith(['mesh:1', 'mesh:2'], 'mesh'), 'mesh-2', true],
    ['the one on record, if both are empty', podWith(['empty:1', 'empty:1'], 'mesh-2'), 'mesh-2', false],
    [
      'the one with a version, if the set has another empty image by now',
      podWith(['mesh:1', 'empty:0'], 'mesh-1', ['1', '0']),
      'mesh-1',
      false,
    ],
  ])('%s', (_, pod, working, isChanging) => {
    const other = working === 'mesh-1' ? 'mesh-2' : 'mesh-1';
    expect(hotPairs(pod, SIDECARS)).toEqual([
      { name: 'mesh', emptyImage: 'empty:1', working, other, isChanging },
    ]);
  });
});

type Facts = Partial<
  Record<'ready' | 'incomplete' | 'unstarted' | 'restarted' | 'stopped' | 'unchanged', string>
>;

/** Facts by the names of containers, each separated by a blank. Without any, all have changed, run, and are complete. */
function facts({
  ready = '',
  incomplete = '',
  unstarted = '',
  restarted = '',
  stopped = '',
  unchanged = '',
}: Facts): ContainerFacts {
  const has = (names: string, name: string): boolean => names.split(' ').includes(name);
  return {
    isReady: (name) => has(ready, name),
    isRunning: (name) => !has(stopped, name),
    isChanged: (name) => !has(unchanged, name),
    isComplete: (names) => !names.some((name) => has(incomplete, name)),
    hasStarted: (name) => !has(unstarted, name),
    restartsOf: (name) => (has(restarted, name) ? 1 : 0),
  };
}

const pair = (isChanging: boolean, name = 'mesh'): HotPair => ({
  name,
  emptyImage: 'empty:1',
  working: `${name}-2`,
  other: `${name}-1`,
  isChanging,
});

test.each<[phase: string, isChanging: boolean, what: string, given: Facts]>([
  ['Idle', false, 'the empty image runs', { ready: 'mesh-2' }],
  ['Idle', false, 'the pod is as it was injected', { unstarted: 'mesh-1', unchanged: 'mesh-1' }],
  ['Resetting', false, 'the empty image has not started', { unstarted: 'mesh-1' }],
  ['Resetting', false, 'the empty image does not run', { stopped: 'mesh-1' }],
  ['Upgrading', true, 'the new half has not started', { ready: 'mesh-1', unstarted: 'mesh-2' }],
  ['Upgrading', true, 'a status from before is ready', { ready: 'mesh-1 mesh-2', unstarted: 'mesh-2' }],
  ['Migrating', true, 'the new half runs and is not ready', { ready: 'mesh-1' }],
  ['Failed', true, 'the new half has restarted', { ready: 'mesh-1', restarted: 'mesh-2' }],
  ['Resetting', true, 'the new half is ready', { ready: 'mesh-1 mesh-2' }],
  ['Resetting', true, 'the new half is ready after a restart', { ready: 'mesh-2', restarted: 'mesh-2' }],
])('%s, changing %s: %s', (phase, isChanging, _, given) => {
  expect(phaseOf(pair(isChanging), facts(given))).toBe(phase);
});

describe('what may be done', () => {
  const two = [pair(true), pair(true, 'proxy')];
  test.each<[what: string, pairs: HotPair[], given: Facts, expected: object]>([
    [
      'nothing where nothing changes',
      [pair(false)],
      { ready: 'mesh-2 log' },
      { isChanging: false, isResetDue: false, isSettled: true },
    ],
    [
      'a reset once the new half is ready',
      [pair(true)],
      { ready: 'mesh-1 mesh-2 log' },
      { isResetDue: true },
    ],
    [
      'no reset before the other containers are ready',
      [pair(true)],
      { ready: 'mesh-1 mesh-2' },
      { isResetDue: false, canGoBack: true },
    ],
    [
      'no reset before their change is complete',
      [pair(true)],
      { ready: 'mesh-1 mesh-2 log', incomplete: 'log' },
      { isResetDue: false },
    ],
    [
      'a reset where the old half has ended',
      [pair(true)],
      { ready: 'mesh-2' },
      { isResetDue: true, canGoBack: false },
    ],
    [
      'no reset of one pair alone',
      two,
      { ready: 'mesh-1 mesh-2 proxy-1 log' },
      { isResetDue: false, canGoBack: true },
    ],
    [
      'no way back to a half that has ended, if the new one is ready',
      two,
      { ready: 'mesh-2 proxy-1 log' },
      { isResetDue: false, canGoBack: false },
    ],
    [
      'no way back while the new half is reported to run the empty image',
      [pair(true)],
      { ready: 'mesh-1 log', unstarted: 'mesh-2' },
      { canGoBack: false },
    ],
    [
      'a way back if the new half cannot start',
      [pair(true)],
      { ready: 'mesh-1 log', unstarted: 'mesh-2', stopped: 'mesh-2' },
      { canGoBack: true },
    ],
    [
      'a way back if neither is ready',
      [pair(true)],
      { ready: 'log' },
      { canGoBack: true, isResetDue: false },
    ],
    [
      'a failure of one of two',
      two,
      { ready: 'mesh-1 mesh-2 proxy-1 log', restarted: 'proxy-2' },
      { hasFailed: true },
    ],
  ])('%s', (_, pairs, given, expected) => {
    expect(hotState(pairs, ['log'], facts(given))).toMatchObject(expected);
  });
});
