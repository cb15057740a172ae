import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { expectGolden } from '../../golden.ts';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { Component } from '../../../semantics/kinds/need.ts';
import { launchIn } from '../../deploy/roles.ts';
import { sampled } from '../../lanes.ts';
import { findBinaries } from '../binaries.ts';
import { createCase, type Case, type Setting } from './case.ts';
import { startWorld, type World } from './world.ts';

export interface RolloutCase extends Setting {
  /** Its record, below `golden/e2e`. */
  golden: string;
  title: string;
  play(c: Case): Promise<void>;
  /** What it needs that is not in every world. */
  needs?: 'controllers';
  /** Containers of its pods start in an order: its namespace has the binding for that, which is not in the base installation. */
  launches?: true;
}

const missing = {
  controllers: 'no kube-controller-manager runs there',
};

/** The sampled part of each file. Another server runs all cases: it is only named on purpose. */
const SHARE = 1 / 4;
const isElsewhere = process.env['KRUISE_E2E_KUBECONFIG'] !== undefined;

/** More than one case takes, on a busy machine, milliseconds. */
const patience = 180_000;

/**
 * Plays each case in a namespace of its own, several at once, and compares what was recorded with its golden: the same
 * one in every world. `begin` starts what all of them need, in a world with everything but the runtime.
 *
 * @param components what is installed besides `deploy/base`
 */
export function rolloutSuite(
  name: string,
  all: readonly RolloutCase[],
  begin: (world: World) => Promise<unknown>,
  components: readonly Component[] = [],
): void {
  const cases = isElsewhere ? all : sampled(name, all, Math.ceil(all.length * SHARE));
  const kubectl = findBinaries().at(-1);
  const played = { ran: 0, differing: [] as string[], notRun: [] as string[] };
  let world: World | undefined;

  function report(): void {
    const where = world === undefined ? 'no server' : world.name;
    const why =
      kubectl === undefined
        ? 'no kubectl runs here; KRUISE_E2E_KUBECTL may name one'
        : 'the world did not come about';
    if (world === undefined) for (const { title } of cases) played.notRun.push(`${title}: ${why}`);
    const version = world?.server.version ?? '';
    const record = { rollouts: { ...played, world: where, version } };
    appendFileSync(inject('e2eRecords'), `${JSON.stringify(record)}\n`);
  }

  if (kubectl === undefined) {
    report();
    test.skipIf(!isKubectlShipped)('a kubectl is here', () => {
      throw new Error('there is none');
    });
    return;
  }

  beforeAll(async () => {
    world = await startWorld(kubectl, components);
    await begin(world);
  }, patience);

  afterAll(async () => {
    report();
    await world?.close();
  }, patience);

  describe.concurrent(name, () => {
    for (const each of cases)
      test(each.title, { timeout: patience }, async (context) => {
        if (world === undefined) throw new Error('there is no server');
        if (each.needs === 'controllers' && !world.hasControllers) {
          played.notRun.push(`${each.title}: ${missing[each.needs]}`);
          context.skip();
        }
        await playIn(world, each);
      });
  });

  async function playIn(
    here: World,
    { golden, title, play, launches, ...setting }: RolloutCase,
  ): Promise<void> {
    const namespace = `e2e-${golden.replace('.txt', '')}-${process.pid}`;
    const metadata = { name: namespace };
    await here.server.rest('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    if (launches === true)
      await here.administer('apply --server-side -f -', JSON.stringify(launchIn(namespace)));
    const c = createCase(here, namespace, title, setting);
    try {
      played.ran += 1;
      await play(c);
      expectGolden(`e2e/${golden}`, await c.record());
    } catch (error) {
      played.differing.push(title);
      throw error;
    } finally {
      await here.server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    }
  }
}
