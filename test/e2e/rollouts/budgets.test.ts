import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import { findBinaries } from '../binaries.ts';
import { evictedInRollout } from './evictions.ts';
import { eventually } from './programs.ts';
import { startWebhook, type Webhook } from './webhook.ts';
import { startWorld, type World } from './world.ts';

const patience = 180_000;
const PODS = 10;
const SLOTS = 2;
const COMPONENTS = ['budget-protection', 'admission', 'admission-exact'];
const kubectl = findBinaries().at(-1);
const LINK = 'pub.kruise.io/related-pub';

interface Counted {
  status?: { unavailableAllowed?: number; currentAvailable?: number };
}

/** Pods of nobody under a budget: what is gone does not come again, and what is counted does not change by itself. */
interface Guarded {
  names: readonly string[];
  /** What comes of such a request about each of these pods, all sent at once: `passes`, or the code. */
  ask(request: 'DELETE' | 'EVICT', names: readonly string[], dryRun?: boolean): Promise<string[]>;
  allowed(): Promise<number | undefined>;
}

describe.skipIf(kubectl === undefined && !isKubectlShipped)(
  'requests at the same time under a budget',
  () => {
    let world: World | undefined;
    let webhook: Webhook | undefined;
    let counter = 0;
    const namespaces: string[] = [];

    beforeAll(async () => {
      if (kubectl === undefined) throw new Error('there is no kubectl');
      world = await startWorld(kubectl, COMPONENTS);
      await world.startRuntime({ args: ['--policy', 'Auto'] });
    }, patience);

    afterAll(async () => {
      await webhook?.close();
      for (const namespace of namespaces)
        await world?.server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
      await world?.close();
    }, patience);

    function namespaceFor(): string {
      counter += 1;
      const namespace = `e2e-budgets-${counter}-${process.pid}`;
      namespaces.push(namespace);
      return namespace;
    }

    /** Ten running pods, of which the budget lets so many be unavailable, once all are linked and counted. */
    async function guarded(slots: number, annotations: Record<string, string> = {}): Promise<Guarded> {
      if (world === undefined) throw new Error('there is no server');
      const { rest } = world.server;
      const namespace = namespaceFor();
      await rest('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      const budgets = `/apis/policy.kruise.io/v1beta1/namespaces/${namespace}/podunavailablebudgets`;
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      await rest('POST', budgets, {
        apiVersion: 'policy.kruise.io/v1beta1',
        kind: 'PodUnavailableBudget',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          maxUnavailable: slots,
          protectTotalReplicas: PODS,
        },
      });
      const names = Array.from({ length: PODS }, (_, at) => `web-${at}`);
      for (const name of names)
        await rest('POST', pods, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, labels: { app: 'web' }, annotations },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [{ name: 'main', image: 'example.com/web:1' }],
          },
        });
      const counted = async (): Promise<Counted['status']> =>
        ((await rest('GET', `${budgets}/web`)) as Counted).status;
      await eventually('ten pods are counted and linked', async () => {
        const { items } = (await rest('GET', pods)) as {
          items: { metadata: { annotations?: Record<string, string> } }[];
        };
        const isLinked = items.every(({ metadata }) => metadata.annotations?.[LINK] === 'web');
        const status = await counted();
        return isLinked && status?.currentAvailable === PODS && status.unavailableAllowed === slots;
      });

      async function one(request: 'DELETE' | 'EVICT', name: string, isDry: boolean): Promise<string> {
        const dryRun = isDry ? '?dryRun=All' : '';
        const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
        const sent =
          request === 'DELETE'
            ? rest('DELETE', `${pods}/${name}${dryRun}`)
            : rest('POST', `${pods}/${name}/eviction${dryRun}`, eviction);
        return sent.then(
          () => 'passes',
          (error: unknown) => /: (\d{3}) /.exec(String(error))?.[1] ?? String(error),
        );
      }
      return {
        names,
        ask: async (request, asked, isDry = false) =>
          (await Promise.all(asked.map((name) => one(request, name, isDry)))).sort(),
        allowed: async () => (await counted())?.unavailableAllowed,
      };
    }

    const all = (answer: string, count: number): string[] => Array<string>(count).fill(answer);

    test('the policy alone: where none is left, none of ten passes', { timeout: patience }, async () => {
      const { names, ask } = await guarded(0);
      // A policy is in force a moment after it is stored.
      await eventually('a refusal', async () => (await ask('DELETE', names.slice(0, 1), true))[0] === '403');
      expect(await ask('DELETE', names)).toEqual(all('403', PODS));
    });

    test(
      'the policy alone: of ten more may pass than are left, until they are counted',
      { timeout: patience },
      async ({ annotate }) => {
        const { names, ask, allowed } = await guarded(SLOTS);
        const answers = await ask('DELETE', names);
        const passed = answers.filter((answer) => answer === 'passes').length;
        await annotate(`${passed} of ${PODS} deletions passed, ${SLOTS} were left`);
        expect(passed).toBeGreaterThanOrEqual(SLOTS);
        expect(answers.filter((answer) => answer !== 'passes')).toEqual(all('403', PODS - passed));
        await eventually('what has gone is counted', async () => (await allowed()) === 0);
      },
    );

    test('evictions at once: exactly as many as are left', { timeout: patience }, async () => {
      const { names, ask } = await guarded(SLOTS);
      const evicted = async (): Promise<boolean> =>
        (await ask('EVICT', names.slice(0, 1), true))[0] === 'passes';
      await eventually('the disruption controller has counted', evicted);
      expect(await ask('EVICT', names)).toEqual([...all('429', PODS - SLOTS), ...all('passes', SLOTS)]);
    });

    test(
      'evictions in the middle of a rollout: no more pods are unavailable than may be',
      { timeout: patience },
      async ({ annotate }) => {
        if (world === undefined) throw new Error('there is no server');
        const { worst, passed, refused } = await evictedInRollout(world, namespaceFor(), {
          pods: PODS,
          slots: SLOTS,
        });
        await annotate(
          `${passed} evictions passed, ${refused} were refused, ${worst} pods were unavailable at most`,
        );
        expect(passed + refused).toBeGreaterThan(0);
        expect(worst).toBeLessThanOrEqual(SLOTS);
      },
    );

    test(
      'PUB-22: with two replicas of the webhook, exactly as many as are left',
      { timeout: patience },
      async () => {
        if (world === undefined) throw new Error('there is no server');
        webhook = await startWebhook(world, 2, ['--exact-budgets']);
        const none = await guarded(0);
        // About an eviction the policy is not asked.
        const refused = async (): Promise<boolean> =>
          (await none.ask('EVICT', none.names.slice(0, 1), true))[0] === '429';
        await eventually('the webhook is in force', refused, { context: webhook.output });
        for (const [request, code] of [
          ['DELETE', '403'],
          ['EVICT', '429'],
        ] as const) {
          const some = await guarded(SLOTS);
          const expected = [...all(code, PODS - SLOTS), ...all('passes', SLOTS)];
          expect([request, ...(await some.ask(request, some.names))]).toEqual([request, ...expected]);
          expect(await some.allowed()).toBe(0);
        }
        expect(Math.min(...webhook.connections())).toBeGreaterThan(0);
      },
    );

    test(
      'while the webhook is down, pods that it covers stay, and no others',
      { timeout: patience },
      async () => {
        if (webhook === undefined) throw new Error('there was no webhook');
        const covered = await guarded(SLOTS);
        const free = await guarded(SLOTS, { 'pub.kruise.io/no-protect': 'true' });
        await webhook.kill();
        expect(await covered.ask('DELETE', covered.names)).toEqual(all('500', PODS));
        expect(await free.ask('DELETE', free.names)).toEqual(all('passes', PODS));
      },
    );
  },
);
