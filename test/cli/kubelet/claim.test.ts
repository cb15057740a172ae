import { afterEach, expect, test } from 'vitest';
import { claimNodes, SIMULATED_BY, type NodeClaimOptions } from '../../../cli/kubelet/claim.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';

const at = { namespace: 'kube-node-lease', name: 'node-1' };
let world: World | undefined;
afterEach(() => {
  world?.stop();
  world = undefined;
});

interface Bench {
  clock: VirtualClock;
  cluster: Cluster;
  said: string[];
  /** The running processes of the machine. */
  alive: Set<number>;
  /** The claim of a process once it is decided, and how long that took. */
  claim(pid: number, hostname?: string): Promise<{ outcome: string; ms: number; release(): Promise<void> }>;
  /** Renews the Lease every ten seconds. */
  renew(): () => void;
  mark(): Promise<string | undefined>;
}

async function bench(nodeLeases = false): Promise<Bench> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const here = createWorld({ clock, nodes: nodeLeases ? 1 : 0, namespaces: ['kube-node-lease'], nodeLeases });
  world = here;
  await clock.advance(1_000);
  const cluster = here.cluster('kubelet');
  const said: string[] = [];
  const alive = new Set<number>();
  return {
    clock,
    cluster,
    said,
    alive,
    async claim(pid, hostname = 'here') {
      const began = clock.now();
      const claiming: NodeClaimOptions = {
        cluster,
        clock,
        machine: { pid, isAlive: (other) => alive.has(other) },
        hostname,
        node: 'node-1',
        onWait: (text) => said.push(text),
      };
      let ms = -1;
      const deciding = claimNodes(claiming).finally(() => (ms = clock.now() - began));
      await clock.advance(15_000);
      const claim = await deciding;
      if ('problem' in claim) return { outcome: claim.problem, ms, release: async () => {} };
      alive.add(pid);
      return { outcome: 'claimed', ms, release: claim.release };
    },
    renew() {
      let cancel = (): void => {};
      const run = (): void => {
        const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
        void cluster.patch(resources.Lease, at, { type: 'merge', body: { spec: { renewTime } } });
        cancel = clock.after(10_000, run);
      };
      run();
      return () => cancel();
    },
    mark: async () => (await cluster.get(resources.Lease, at)).metadata.annotations?.[SIMULATED_BY],
  };
}

test('of two with the same nodes the second refuses; after the end of the first it may', async () => {
  const { claim, renew, mark, said } = await bench();
  const first = await claim(1);
  expect([first.outcome, first.ms, await mark()]).toEqual(['claimed', 0, 'here 1']);
  const end = renew();
  for (const [pid, hostname] of [
    [2, 'here'],
    [1, 'there'],
  ] as const) {
    const second = await claim(pid, hostname);
    expect(second.outcome).toBe('node-1 is simulated already, by process 1 of here');
    expect(second.ms).toBeLessThanOrEqual(12_000);
  }
  expect(said[0]).toMatch(/^node-1 was simulated a moment ago; it takes up to 12 s/);
  expect(await mark()).toBe('here 1');
  end();
  await first.release();
  expect(await mark()).toBe('');
  const third = await claim(3, 'there');
  expect([third.outcome, third.ms, await mark()]).toEqual(['claimed', 0, 'there 3']);
  // Objects of another owner are not touched.
  await first.release();
  expect(await mark()).toBe('there 3');
});

test('what was killed is taken over: on its machine at once, elsewhere when its Lease is renewed no more', async () => {
  const { claim, renew, alive, clock } = await bench();
  await claim(1);
  renew()();
  alive.delete(1);
  expect(await claim(2)).toMatchObject({ outcome: 'claimed', ms: 0 });
  renew()();
  expect(await claim(2, 'there')).toMatchObject({ outcome: 'claimed', ms: 12_000 });
  renew()();
  await clock.advance(200_000);
  expect(await claim(7)).toMatchObject({ outcome: 'claimed', ms: 0 });
});

test('a pod of a real kubelet is not simulated', async () => {
  const { claim } = await bench(true);
  expect((await claim(1)).outcome).toBe('node-1 is simulated already');
});
