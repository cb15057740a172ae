import { describe, expect, test } from 'vitest';
import type { ContainerState } from '../../schemas/pods/pod.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { behaviorByTag } from '../kubelet/images.ts';
import { main, pod, readPod, stage } from './world.ts';

const readinessProbe = { exec: { command: ['true'] } };
const forever = { timings: { runMs: Number.POSITIVE_INFINITY, initRunMs: Number.POSITIVE_INFINITY } };

/** `Running`, or the exit code and the seconds that it ran. */
function ending({ terminated, running }: ContainerState): string {
  if (running !== undefined) return 'runs';
  if (terminated === undefined) return 'waits';
  const seconds = (Date.parse(terminated.finishedAt ?? '') - Date.parse(terminated.startedAt ?? '')) / 1000;
  return `${terminated.exitCode} after ${seconds} s`;
}

describe('how long a container runs by default', () => {
  test.each([
    ['Always', {}, {}, 'Running', 'runs'],
    ['OnFailure', {}, {}, 'Succeeded', '0 after 2 s'],
    ['Never', {}, {}, 'Succeeded', '0 after 2 s'],
    ['Never', { readinessProbe }, {}, 'Running', 'runs'],
    ['Never', { image: 'web:1-unready' }, {}, 'Running', 'runs'],
    ['Never', {}, { keepsRunning: true }, 'Running', 'runs'],
    ['Never', {}, { exitCode: 3 }, 'Failed', '3 after 2 s'],
    ['Never', {}, { runSeconds: 4 }, 'Succeeded', '0 after 4 s'],
    ['Never', {}, { log: ['done'] }, 'Succeeded', '0 after 2 s'],
  ])('%s %j %j', async (restartPolicy, container, script, phase, end) => {
    const { alice, clock } = stage({ nodes: 1, images: behaviorByTag });
    const containers = [{ name: 'main', image: 'web:1', ...container }];
    const made = pod('p', 'web:1', { restartPolicy, containers });
    const annotations = { 'sandbox/containers': JSON.stringify({ main: script }) };
    await alice.create(resources.Pod, { ...made, metadata: { ...made.metadata, annotations } });
    await clock.advance(20_000);
    const seen = await readPod(alice, 'p');
    expect([seen.status?.phase, ending(main(seen).state)]).toEqual([phase, end]);
  });

  test.each([
    ['an init container', {}, {}, '0 after 1 s'],
    ['a sidecar', { restartPolicy: 'Always' }, {}, 'runs'],
    ['an init container of a world that lets it run on', {}, forever, 'runs'],
  ])('%s', async (_what, container, options, end) => {
    const { alice, clock } = stage({ nodes: 1, ...options });
    const initContainers = [{ name: 'setup', image: 'setup:1', ...container }];
    await alice.create(resources.Pod, pod('p', 'web:1', { initContainers }));
    await clock.advance(20_000);
    const { status } = await readPod(alice, 'p');
    const [setup] = status?.initContainerStatuses ?? [];
    expect(ending(setup?.state ?? {})).toBe(end);
    expect(status?.phase).toBe(options === forever ? 'Pending' : 'Running');
  });

  test('one that is stopped before its end has not done its work', async () => {
    const { alice, clock, world } = stage({ nodes: 1, timings: { runMs: 60_000 } });
    world.images.set('web:1', { stopMs: 5_000 });
    await alice.create(
      resources.Pod,
      pod('p', 'web:1', { restartPolicy: 'Never', activeDeadlineSeconds: 10 }),
    );
    await clock.advance(30_000);
    const seen = await readPod(alice, 'p');
    expect([seen.status?.phase, main(seen).state.terminated?.exitCode]).toEqual(['Failed', 143]);
  });
});
