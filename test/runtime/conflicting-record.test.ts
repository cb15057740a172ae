import { expect, test } from 'vitest';
import { execute } from '../../runtime/act/executor.ts';
import { writeMemory } from '../../runtime/plan/memory.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action } from '../../semantics/decision.ts';
import { type Accepted, parseSnapshot, type Progress, snapshotObject } from '../../semantics/plan/memory.ts';
import { cloneSet, planOf } from './stage.ts';

const PROGRESS: Progress = {
  seq: 1,
  phase: 'Running',
  step: 0,
  frozenN: 3,
  clockMs: 0,
  idleMs: 0,
  best: 0,
  stepSince: 0,
  baseline: { unavailable: [], restarts: {} },
  approved: [],
  consumed: [],
};

/** A record of which this process knows an earlier version, and the versions that it waits for after a write. */
async function setUp() {
  const user = createWorld({ clock: createVirtualClock(0), namespaces: ['shop'] }).cluster('user');
  const target = await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  const { apiVersion, kind, metadata } = target;
  const uid = metadata.uid ?? '';
  const owner = { apiVersion, kind, name: 'web', uid, controller: true };
  const spec = planOf('web', 'web:1', 'web:2')['spec'] as Accepted['spec'];
  const usual = snapshotObject({ name: 'web', namespace: 'shop', owner }, spec, PROGRESS);
  const before = await user.create(resources.ControllerRevision, usual);
  const at = { namespace: 'shop', name: before.metadata.name };
  const labels = { changed: 'by-another-process' };
  const body = { metadata: { labels } };
  const newer = await user.patch(resources.ControllerRevision, at, { type: 'merge', body });
  const awaited: (string | undefined)[] = [];
  const common = {
    cluster: user,
    fieldManager: 'kruise',
    now: 0,
    observed: { versions: new Map() },
    onWritten: (_: unknown, object: KubeObject | undefined) =>
      void awaited.push(object?.metadata.resourceVersion),
  };
  const act = async (action: Action) =>
    execute([action], {
      ...common,
      namespace: 'shop',
      onNameTaken: () => undefined,
      onRefused: async () => undefined,
    });
  const write = async (each: Parameters<typeof writeMemory>[0]) =>
    writeMemory(each, { ...common, target, stateNamespace: 'shop' });
  return { user, at, before, newer: newer.metadata.resourceVersion, spec, awaited, act, write };
}

function annotated({ metadata }: KubeObject): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  const body = { metadata: { uid, resourceVersion, annotations: { 'plan.kruise.io/complete': '1' } } };
  return { do: 'patch', kind: 'ControllerRevision', verb: 'mark complete', name, body, reason: 'a test' };
}

test('after a conflict on a revision the version that another process wrote is waited for', async () => {
  const { act, before, newer, awaited } = await setUp();
  expect((await act(annotated(before))).conflicts).toBe(1);
  expect(awaited).toEqual([newer]);
});

test('a revision that another process has deleted is a conflict, and nothing is waited for', async () => {
  const { act, user, at, before, awaited } = await setUp();
  await user.delete(resources.ControllerRevision, at);
  expect((await act(annotated(before))).conflicts).toBe(1);
  expect(awaited).toEqual([]);
});

test('after a conflict on the progress of a plan the version that another process wrote is waited for', async () => {
  const { write, before, newer, awaited } = await setUp();
  const accepted = parseSnapshot(before);
  if (accepted === undefined) throw new Error('the record cannot be read');
  await expect(write({ do: 'progress', accepted })).rejects.toThrow('cannot be fulfilled');
  expect(awaited).toEqual([newer]);
});

test('a plan that another process has accepted is waited for', async () => {
  const { write, spec, newer, awaited } = await setUp();
  await expect(write({ do: 'accept', spec, progress: PROGRESS })).rejects.toThrow('already exists');
  expect(awaited).toEqual([newer]);
});
