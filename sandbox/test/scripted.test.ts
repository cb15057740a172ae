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
    await alice.create(resources.Pod, scripted({ main: { readyAfterSeconds: 30 } }));
    await clock.advance(25_000);
    expect(main(await readPod(alice, 'p')).ready).toBe(false);
    await clock.advance(15_000);
    expect(main(await readPod(alice, 'p')).ready).toBe(true);
  });

  test('of one container only', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    const initContainers = [{ name: 'setup', image: 'setup:1' }];
    await alice.create(resources.Pod, scripted({ setup: { runSeconds: 5 } }, { initContainers }));
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
    await alice.create(resources.Pod, scripted('{"main":1}'));
    await clock.advance(5000);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    expect(items.map((each) => each['message'])).toContain(
      'sandbox/containers is ignored: main is no object',
    );
    expect((await readPod(alice, 'p')).status?.phase).toBe('Running');
  });
});
