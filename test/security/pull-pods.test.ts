import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Pod } from '../../semantics/pod/types.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { newPullPod } from '../../semantics/pull/pod.ts';
import { pullVerdict } from '../../semantics/pull/verdict.ts';
import { createIntern } from '../../runtime/observe/intern.ts';
import { createRetention } from '../../runtime/observe/retention.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { workOf } from '../semantics/pull/fleet.ts';

const folder = mkdtempSync(join(tmpdir(), 'pull-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pod = newPullPod(workOf(), 'node-1', 1) as Pod;
const [container] = pod.spec.containers;
const [command = '', ...others] = (container?.['command'] ?? []) as string[];

describe('the command of a pod that pulls images', () => {
  test('is a path that no image can have, whoever computes it', () => {
    expect(() => statSync(command)).toThrow(/ENAMETOOLONG/);
    expect(() => writeFileSync(`${folder}${command}`, '#!/bin/sh')).toThrow(/ENAMETOOLONG/);
    expect([others, container?.['args']]).toEqual([[], undefined]);
  });

  test('is too long for the kernel itself, so that no file system is asked, and for one name of any', () => {
    // PATH_MAX counts the final zero byte. Names of FUSE may have 1,024 bytes, those of others 255.
    expect(Buffer.byteLength(command)).toBeGreaterThanOrEqual(4096);
    expect(Math.max(...command.split('/').map((part) => Buffer.byteLength(part)))).toBeGreaterThan(1024);
  });

  test('starts nothing on the sandbox: the image counts as pulled', async () => {
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const alice = createWorld({ clock }).cluster('alice');
    const object = { ...pod, metadata: { name: 'pull', namespace: 'default' } };
    object.spec = { ...pod.spec };
    delete object.spec.affinity;
    await alice.create(resources.Pod, object);
    await clock.advance(60_000);
    const ended = (await alice.get(resources.Pod, { namespace: 'default', name: 'pull' })) as Pod;
    expect(ended.status?.containerStatuses?.[0]).toMatchObject({
      state: { terminated: { reason: 'StartError', exitCode: 128 } },
    });
    const now = clock.now();
    expect(pullVerdict(ended, 600_000, now, now)).toEqual({ is: 'pulled' });
  });

  const cause = `exec: "${command}": stat ${command}: file name too long`;
  test.each([
    ['containerd', { terminated: { reason: 'StartError', exitCode: 128, message: cause } }],
    ['Docker', { terminated: { reason: 'ContainerCannotRun', exitCode: 128, message: cause } }],
    ['a runtime that refuses to start it', { waiting: { reason: 'RunContainerError', message: cause } }],
    ['a runtime that refuses to create it', { waiting: { reason: 'CreateContainerError', message: cause } }],
  ])('proves that the image was pulled, as %s reports it', (_what, state) => {
    const containerStatuses = [{ name: container?.name ?? '', state }];
    const seen = { ...pod, status: { phase: 'Pending', containerStatuses } } as Pod;
    expect(pullVerdict(seen, 600_000, 0, 0)).toEqual({ is: 'pulled' });
    expect(pullVerdict(projectPod(seen, createIntern()), 600_000, 0, 0)).toEqual({ is: 'pulled' });
  });
});

test('the cache of a kind whose units are nodes keeps why such a pod waits, and when a kubelet has taken it up', () => {
  const retention = createRetention(
    () => true,
    undefined,
    () => false,
    () => true,
  );
  const state = { waiting: { reason: 'ErrImagePull', message: 'pull QPS exceeded' } };
  const seen = {
    ...pod,
    spec: { ...pod.spec, restartPolicy: 'Never' },
    status: {
      phase: 'Pending',
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [{ name: container?.name ?? '', state }],
    },
  } as Pod;
  const kept = retention.keepPod(seen) as Pod;
  expect(pullVerdict(kept, 600_000, 0, 0).is).toBe('untried');
  expect(kept.status?.['startTime']).toBe('2026-01-01T00:00:00Z');
  // The control: as a unit of that kind nothing of it would be seen.
  expect(pullVerdict(projectPod(seen, createIntern(), true), 600_000, 0, 0).is).toBe('pulling');
});
