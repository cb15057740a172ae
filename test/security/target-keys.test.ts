import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, phaseOf, type TestCluster } from '../runtime/stage.ts';
import { EVIL, twoTenants, VICTIM, withStored } from './world.ts';

interface Target {
  apiVersion?: string;
  kind: string;
  name: string;
}

/** A rollout of `web` in the victim's namespace that waits at its gate, where commands are stored with such a target. */
async function waitingAtGate(target: Target): Promise<TestCluster> {
  const stored = (object: KubeObject): KubeObject => ({
    ...object,
    spec: { ...(object['spec'] as object), target },
  });
  const stage = await createTestCluster(cloneSet('web', 'web:1'), {
    world: twoTenants,
    wrap: (cluster) => withStored(cluster, 'RolloutCommand', stored),
  });
  await stage.change('web:2', {
    steps: [
      { id: 'ok', approve: {} },
      { id: 'all', update: { to: '100%' } },
    ],
  });
  await stage.until('AwaitingApproval');
  return stage;
}

async function send(stage: TestCluster, namespace: string, spec: object): Promise<KubeObject> {
  const at = new Date(stage.clock.now() + 3_600_000).toISOString();
  const { digest } = (await stage.plan())['spec'] as { digest: string };
  return stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { name: 'said', namespace },
    spec: { target: { kind: 'CloneSet', name: 'web' }, digest, by: 'eve', expires: at, ...spec },
  });
}

const commands = [
  ['Approve', { action: 'Approve', step: 'ok' }],
  ['BreakGlass', { action: 'BreakGlass', reason: 'none' }],
] as const;

describe('security 1: a command is about a target in its own namespace', () => {
  const targets: readonly [string, Target][] = [
    ['a kind with slashes', { kind: `CloneSet/${VICTIM}/web`, name: 'x' }],
    ['a name with slashes', { kind: 'CloneSet', name: `../${VICTIM}/web` }],
    ['a kind with a namespace before an empty name', { kind: `CloneSet/${VICTIM}`, name: 'web' }],
    ['another group', { apiVersion: `apps.kruise.io/${VICTIM}/v1`, kind: 'CloneSet', name: 'web' }],
  ];
  test.each(targets.flatMap((target) => commands.map((command) => [...target, ...command] as const)))(
    '%s: %j, %s from another namespace does nothing',
    async (_, target, __, command) => {
      const stage = await waitingAtGate(target);
      await send(stage, EVIL, command);
      await stage.clock.advance(60_000);
      expect(await phaseOf(stage)).toBe('AwaitingApproval');
      expect(await stage.images()).toEqual({ 'web:1': 3 });
      expect(stage.errors).toEqual([]);
      await stage.stop();
    },
  );

  test.each(commands)('control: %s from the namespace of the target is obeyed', async (_, command) => {
    const stage = await waitingAtGate({ kind: 'CloneSet', name: 'web' });
    await send(stage, VICTIM, command);
    await stage.clock.advance(60_000);
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    await stage.stop();
  });

  test('a command about a kind of the same name in another group is not obeyed', async () => {
    const stage = await waitingAtGate({ apiVersion: 'apps/v1', kind: 'CloneSet', name: 'web' });
    await send(stage, VICTIM, { action: 'Approve', step: 'ok' });
    await stage.clock.advance(60_000);
    expect(await phaseOf(stage)).toBe('AwaitingApproval');
    await stage.stop();
  });
});
