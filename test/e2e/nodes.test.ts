import { expect } from 'vitest';
import { documents, pod } from './manifests.ts';
import { suite, type Kubectl } from './suite.ts';

const nodeOf = (k: Kubectl) => `${k.namespace}-node`;

const node = (k: Kubectl) => `apiVersion: v1
kind: Node
metadata:
  name: ${nodeOf(k)}
  labels: { node-role.kubernetes.io/worker: '' }
`;

/** The output without lines about taints that a cluster adds to a new node: they are not the subject of the case. */
const quiet = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^(?:Warning: ignoring|node\.kubernetes\.io)/.test(line))
    .join('\n');

async function onNode(k: Kubectl, play: () => Promise<void>): Promise<void> {
  await k.run('create -f -', node(k));
  try {
    await play();
  } finally {
    await k.run(`delete node ${nodeOf(k)}`);
  }
}

suite(
  'nodes',
  (test) => {
    test('cordon, uncordon, taint', (k) =>
      onNode(k, async () => {
        const name = nodeOf(k);
        expect(await k.run(`cordon ${name}`)).toMatchInlineSnapshot(`node/NAMESPACE-node cordoned`);
        expect(await k.run(`cordon ${name}`)).toMatchInlineSnapshot(`node/NAMESPACE-node already cordoned`);
        expect(await k.run(`get node ${name} -o jsonpath={.spec.unschedulable}`)).toMatchInlineSnapshot(
          `true`,
        );
        expect(await k.run(`uncordon ${name}`)).toMatchInlineSnapshot(`node/NAMESPACE-node uncordoned`);
        expect(await k.run(`uncordon ${name}`)).toMatchInlineSnapshot(
          `node/NAMESPACE-node already uncordoned`,
        );
        expect(await k.run(`taint node ${name} colour=blue:NoSchedule`)).toMatchInlineSnapshot(
          `node/NAMESPACE-node tainted`,
        );
        expect(await k.run(`taint node ${name} colour=red:NoSchedule`)).toMatchInlineSnapshot(`
          [stderr]
          error: node NAMESPACE-node already has colour taint(s) with same effect(s) and --overwrite is false
          [exit 1]
        `);
        expect(await k.run(`taint node ${name} colour=red:NoSchedule --overwrite`)).toMatchInlineSnapshot(
          `node/NAMESPACE-node modified`,
        );
        expect(
          await k.run(`get node ${name} -o jsonpath='{.spec.taints[?(@.key=="colour")].value}'`),
        ).toMatchInlineSnapshot(`red`);
        expect(await k.run(`taint node ${name} colour-`)).toMatchInlineSnapshot(
          `node/NAMESPACE-node untainted`,
        );
        expect(await k.run(`taint node ${name} colour-`)).toMatchInlineSnapshot(`
          [stderr]
          error: taint "colour" not found
          [exit 1]
        `);
        expect(await k.run('cordon nosuchnode')).toMatchInlineSnapshot(`
          [stderr]
          Error from server (NotFound): nodes "nosuchnode" not found
          [exit 1]
        `);
      }));

    test('drain evicts pods, and a disruption budget prevents it', (k) =>
      onNode(k, async () => {
        const name = nodeOf(k);
        const here = (each: string, app: string) => pod(each, '', `app: ${app}`).replace('nowhere', name);
        await k.run('create -f -', documents(here('free', 'free'), here('kept', 'kept')));
        await k.run('create pdb keep --selector=app=kept --min-available=1');
        for (const each of ['free', 'kept'])
          await k.setStatus(`pods/${each}`, {
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True' }],
          });
        expect(await k.run(`drain ${name}`)).toMatchInlineSnapshot(`
          node/NAMESPACE-node cordoned
          [stderr]
          error: unable to drain node "NAMESPACE-node" due to error: cannot delete cannot delete Pods that declare no controller (use --force to override): NAMESPACE/free, NAMESPACE/kept, continuing command...
          There are pending nodes to be drained:
           NAMESPACE-node
          cannot delete cannot delete Pods that declare no controller (use --force to override): NAMESPACE/free, NAMESPACE/kept
          [exit 1]
        `);
        const drained = await k.raw(`drain ${name} --force --timeout=2s`);
        expect(drained.code).toBe(1);
        expect(drained.out).toContain('pod/free evicted');
        expect(drained.err).toContain(
          `error when evicting pods/"kept" -n "${k.namespace}" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
        );
        await k.run('delete pdb keep');
        expect(quiet(await k.run(`drain ${name} --force`))).toMatchInlineSnapshot(`
          node/NAMESPACE-node already cordoned
          evicting pod NAMESPACE/kept
          pod/kept evicted
          node/NAMESPACE-node drained
          [stderr]
          Warning: deleting Pods that declare no controller: NAMESPACE/kept
        `);
        expect(await k.run('get pods')).toMatchInlineSnapshot(`
          [stderr]
          No resources found in NAMESPACE namespace.
        `);
        expect(await k.run(`drain ${name} --dry-run=client`)).toMatchInlineSnapshot(`
          node/NAMESPACE-node already cordoned (dry run)
          node/NAMESPACE-node drained (dry run)
        `);
      }));

    test(
      'pods that run: ready, restarted in place, gone in good order',
      async (k) => {
        const running = pod('p').replace('  nodeName: nowhere\n', '').replace('Seconds: 0', 'Seconds: 1');
        await k.run('create -f -', running);
        expect(await k.run('wait pod/p --for=condition=Ready --timeout=60s')).toMatchInlineSnapshot(
          `pod/p condition met`,
        );
        expect(await k.run('get pod p')).toMatchInlineSnapshot(`
          NAME   READY   STATUS   RESTARTS   AGE
          p   1/1   Running   0   AGE
        `);
        if (k.server.name === 'the sandbox') {
          // Another server has processes to show; the sandbox reports that it has none.
          expect(await k.run('exec p -- true')).toMatchInlineSnapshot(`
            [stderr]
            error: malformed ws or wss URL
            [exit 1]
          `);
        }
        await k.run('set image pod/p main=example.com/web:2');
        expect(
          await k.run(
            `wait pod/p --for=jsonpath='{.status.containerStatuses[0].restartCount}'=1 --timeout=60s`,
          ),
        ).toMatchInlineSnapshot(`pod/p condition met`);
        expect(await k.run('delete pod p')).toMatchInlineSnapshot(`pod "p" deleted`);
        expect(await k.run('get pods')).toMatchInlineSnapshot(`
          [stderr]
          No resources found in NAMESPACE namespace.
        `);
      },
      { needsNodes: true },
    );
  },
  { nodes: 2 },
);
