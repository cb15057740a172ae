import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpCluster, type HttpCluster } from '../../runtime/api/http-cluster.ts';
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { createHostClock } from '../../runtime/host-clock.ts';
import { commits } from '../deploy/engines/states.ts';
import { othersOf } from '../deploy/engines/ownership.ts';
import { at, isAt, look, phaseOf, type Seen, type Stage, versions } from '../deploy/engines/stage.ts';
import { findBinaries } from '../e2e/binaries.ts';
import { eventually } from '../e2e/rollouts/programs.ts';
import { startWorld, type World } from '../e2e/rollouts/world.ts';
import { fluxAssets } from './assets.ts';
import { type Flux, startFlux } from './flux.ts';

const kubectl = findBinaries().at(-1);
const patience = 600_000;
const SHOP = 'shop';
const [A, B, C] = ['web:1', 'web:2', 'web:3'] as const;

let world: World | undefined;
let flux: Flux | undefined;
let user: HttpCluster | undefined;

describe.skipIf(fluxAssets === undefined || kubectl === undefined)('the kustomize controller of Flux', () => {
  beforeAll(async () => {
    if (kubectl === undefined || fluxAssets === undefined) throw new Error('there is nothing to run');
    world = await startWorld(kubectl, ['flux']);
    await world.administer(`create namespace ${SHOP}`);
    await world.startRuntime({ args: ['--policy', 'Required'] });
    flux = await startFlux(world, fluxAssets);
    user = await administratorOf(world);
  }, patience);

  afterAll(async () => {
    user?.close();
    await flux?.close();
    await world?.close();
  }, patience);

  test(
    'applies, heals, waits, follows a revert, and prunes, and writes nothing that the runtime writes',
    { timeout: patience },
    async () => {
      const here = stage();
      const git = await commits([{ image: A }, { image: B }, { image: C }], { gated: true, namespace: SHOP });
      const [first, second, third] = git;
      if (first === undefined || second === undefined || third === undefined) throw new Error('no commits');

      await flux?.until('Ready', (await flux.commit(first)) ?? '');
      expect(isAt(await look(here), A)).toBe(true);

      const gated = (await flux?.commit(second)) ?? '';
      await until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
      await flux?.until('Ready', gated);
      expect(at(await look(here), B)).toBe(1);
      await rests(here.gateMs);
      await world?.administer(`create -f -`, JSON.stringify(approvalOf(await look(here))));
      await until('the end', (seen) => phaseOf(seen) === 'Succeeded');
      await until('all pods', (seen) => isAt(seen, B));
      await rests();
      const { target, plans } = await look(here);
      for (const object of [target, ...plans]) if (object !== undefined) expect(othersOf(object)).toEqual([]);

      // In the middle of a step, while the controller waits for its end.
      const last = (await flux?.commit(third)) ?? '';
      await until('the first pod', (seen) => at(seen, C) > 0);
      const back = (await flux?.commit(second)) ?? '';
      expect(back).not.toBe(last);
      await until('the way back', (seen) => isAt(seen, B));
      await flux?.until('Ready', back);

      const none = (await flux?.commit(new Map([['manifests/kustomization.yaml', 'resources: []\n']]))) ?? '';
      await flux?.until('Ready', none);
      await until('nothing', (seen) => seen.target === undefined && seen.plans.length === 0);
    },
  );
});

async function until(what: string, holds: (seen: Seen) => boolean): Promise<void> {
  const here = stage();
  const shown = (): string => flux?.output() ?? '';
  await eventually(what, async () => holds(await look(here)), { limitMs: 240_000, context: shown });
}

/** Nothing is written while the controller heals. */
async function rests(ms = stage().restMs): Promise<void> {
  const here = stage();
  let before = versions(await look(here));
  await eventually('rest', async () => {
    await here.pass(3_000);
    const now = versions(await look(here));
    const isSame = now.join() === before.join();
    before = now;
    return isSame;
  });
  await here.pass(ms);
  expect(versions(await look(here))).toEqual(before);
}

function approvalOf({ plans: [plan] }: Seen): object {
  const { digest } = (plan?.['spec'] ?? {}) as { digest: string };
  const { step } = (plan?.['status'] ?? {}) as { step?: string };
  const target = { kind: 'CloneSet', name: 'web' };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { name: 'web-approve', namespace: SHOP },
    spec: { target, action: 'Approve', step, digest, by: world?.user },
  };
}

function stage(): Stage {
  if (user === undefined || world === undefined) throw new Error('there is no server');
  return {
    namespace: SHOP,
    engine: user,
    user,
    userName: world.user,
    now: Date.now,
    pass: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    reachMs: 120_000,
    restMs: 10_000,
    gateMs: 45_000,
    collectsGarbage: world.hasControllers,
    close: () => Promise.resolve(),
  };
}

async function administratorOf({ folder }: World): Promise<HttpCluster> {
  const connection = await loadConnection({
    kubeconfig: `${folder}/admin.kubeconfig`,
    env: {},
    cwd: folder,
  });
  if (!('server' in connection)) throw new Error('the kubeconfig connects to nothing');
  return createHttpCluster({ connection, clock: createHostClock(), random: Math.random, userAgent: 'test' });
}
