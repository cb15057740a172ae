import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { scriptsOf } from '../kubelet/script.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { main, pod, readPod, stage } from './world.ts';

function scripted(script: unknown, spec: object = {}): KubeObject {
  const made = pod('p', 'web:1', { restartPolicy: 'Never', ...spec });
  const text = typeof script === 'string' ? script : JSON.stringify(script);
  return { ...made, metadata: { ...made.metadata, annotations: { 'sandbox/containers': text } } };
}

describe('an annotation of a pod says what a container does', () => {
  test.each([
    [{ runSeconds: 5 }, 'Succeeded', 0, 5],
    [{ runSeconds: 3, exitCode: 4 }, 'Failed', 4, 3],
    [{ crashAfterSeconds: 2 }, 'Failed', 1, 2],
  ])('%j', async (script, phase, exitCode, seconds) => {
    const { alice, clock } = stage({ nodes: 1 });
    await alice.create(resources.Pod, scripted({ main: script }));
    await clock.advance(20_000);
    const ended = await readPod(alice, 'p');
    const { terminated } = main(ended).state;
    expect([ended.status?.phase, terminated?.exitCode]).toEqual([phase, exitCode]);
    expect(Date.parse(terminated?.finishedAt ?? '') - Date.parse(terminated?.startedAt ?? '')).toBe(
      seconds * 1000,
    );
  });

  test('readyAfterSeconds', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    await alice.create(resources.Pod, scripted({ main: { readyAfterSeconds: 30, keepsRunning: true } }));
    await clock.advance(25_000);
    expect(main(await readPod(alice, 'p')).ready).toBe(false);
    await clock.advance(15_000);
    expect(main(await readPod(alice, 'p')).ready).toBe(true);
  });

  const hook = { exec: { command: ['true'] } };

  function hooked(script: object, lifecycle: object): KubeObject {
    const containers = [{ name: 'main', image: 'web:1', lifecycle }];
    return scripted({ main: script }, { containers, restartPolicy: 'Always' });
  }

  async function told(script: object, lifecycle: object, seconds: number) {
    const { alice, clock } = stage({ nodes: 1, podEvents: true });
    await alice.create(resources.Pod, hooked(script, lifecycle));
    await clock.advance(seconds * 1000);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const texts = items.map((each) => `${String(each['reason'])}: ${String(each['message'])}`);
    return { alice, clock, texts, status: main(await readPod(alice, 'p')) };
  }

  test('postStartExitCode: a hook that fails ends the container, again and again', async () => {
    const { texts, status } = await told({ postStartExitCode: 1 }, { postStart: hook }, 60);
    expect(texts).toEqual(
      expect.arrayContaining([
        'FailedPostStartHook: PostStartHook failed',
        'Killing: FailedPostStartHook',
        expect.stringMatching(/^BackOff: Back-off restarting failed container main/) as string,
      ]),
    );
    expect([status.ready, status.state.waiting?.reason]).toEqual([false, 'CrashLoopBackOff']);
    expect(status.restartCount).toBeGreaterThan(1);
  });

  test('postStartSeconds: the container is ready that much later', async () => {
    const script = { postStartSeconds: 20 };
    expect((await told(script, { postStart: hook }, 20)).status.ready).toBe(false);
    expect((await told(script, { postStart: hook }, 30)).status.ready).toBe(true);
    expect((await told(script, {}, 20)).status.ready).toBe(true);
  });

  test.each([
    [{ postStart: { sleep: { seconds: 1 } } }, 'a hook that sleeps'],
    [{}, 'without a hook'],
  ])('postStartExitCode says nothing about %j: %s', async (lifecycle, _why) => {
    expect((await told({ postStartExitCode: 1 }, lifecycle, 20)).status.ready).toBe(true);
  });

  test('preStopSeconds and preStopExitCode: the stop takes longer, and goes on after a hook that fails', async () => {
    const script = { preStopSeconds: 10, preStopExitCode: 1 };
    const { alice, clock } = await told(script, { preStop: hook }, 10);
    const events = async () =>
      (await alice.list(resources.Event, { namespace: 'default' })).items.map((each) => each['message']);
    await alice.delete(resources.Pod, { namespace: 'default', name: 'p' });
    await clock.advance(9_000);
    expect(await events()).not.toContain('PreStopHook failed');
    expect((await readPod(alice, 'p')).metadata.deletionTimestamp).toBeDefined();
    await clock.advance(3_000);
    expect(await events()).toContain('PreStopHook failed');
    expect((await alice.list(resources.Pod, { namespace: 'default' })).items).toEqual([]);
  });

  test('of one container only', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    const initContainers = [{ name: 'setup', image: 'setup:1' }];
    const ofOne = { setup: { runSeconds: 5 } };
    await alice.create(resources.Pod, scripted(ofOne, { initContainers, restartPolicy: 'Always' }));
    await clock.advance(5000);
    expect((await readPod(alice, 'p')).status?.phase).toBe('Pending');
    await clock.advance(15_000);
    expect((await readPod(alice, 'p')).status?.phase).toBe('Running');
  });

  test.each([
    ['{', /JSON/],
    ['[]', /^it is no object$/],
    ['{"main":1}', /^main is no object$/],
    ['{"main":{"runSecond":1}}', /^main has the unknown field runSecond$/],
    ['{"main":{"runSeconds":"5"}}', /^main.runSeconds is no positive number$/],
    ['{"main":{"keepsRunning":1}}', /^main.keepsRunning is neither true nor false$/],
    ['{"main":{"log":"x"}}', /^main.log is no list of strings$/],
    ['{"main":{"exec":["ls"]}}', /^main.exec is no object$/],
    ['{"main":{"exec":{"ls":1}}}', /^main.exec\["ls"\] is neither a text nor/],
    ['{"main":{"exec":{"ls":{"exitCode":1.5}}}}', /^main.exec\["ls"\] is neither a text nor/],
    ['{"main":{"exec":{"ls":{"stdin":""}}}}', /^main.exec\["ls"\] is neither a text nor/],
  ])('and is ignored, with a reason, where it reads %s', (text, reason) => {
    const scripts = scriptsOf(scripted(text) as Pod);
    expect('fault' in scripts ? scripts.fault : '').toMatch(reason);
  });

  test('and an Event says that it is ignored', async () => {
    const { alice, clock } = stage({ nodes: 1, podEvents: true });
    await alice.create(resources.Pod, scripted('{"main":1}', { restartPolicy: 'Always' }));
    await clock.advance(5000);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    expect(items.map((each) => each['message'])).toContain(
      'sandbox/containers is ignored: main is no object',
    );
    expect((await readPod(alice, 'p')).status?.phase).toBe('Running');
  });
});
