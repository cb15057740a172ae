import { parse } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { runLabel } from '../../semantics/run/labels.ts';
import { newPod } from '../../semantics/broadcastjob/new-pod.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { newRun, withNodes } from '../../semantics/run/record.ts';
import { createRun } from '../../semantics/run/stored.ts';
import { templateHash } from '../../semantics/template/canonical.ts';

const job = parse(`
apiVersion: apps.kruise.io/v1beta1
kind: BroadcastJob
metadata: { name: fix, namespace: ops, uid: target }
spec:
  parallelism: 10%
  template:
    metadata: { labels: { app: fix } }
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: 'fix:1', resources: { requests: { cpu: 100m, memory: 64Mi } } }]
`) as KubeObject & { spec: { template: JsonObject } };

/**
 * A run in the middle of a plan: on 40 % of the nodes it is done, on 5 % it runs, and 10 % may run at a time.
 *
 * @param now milliseconds since 1970
 * @returns one decision about it, and the nodes and pods that it reads
 */
export function runOn(count: number, now: number): { decide: () => void; objects: KubeObject[] } {
  const kind = plannedKindOf(resources.BroadcastJob);
  if (kind === undefined) throw new Error('BroadcastJob is registered');
  const { template } = job.spec;
  const hash = templateHash(template);
  const names = Array.from({ length: count }, (_, n) => `node-${String(n).padStart(5, '0')}`);
  const [finished, started] = [names.slice(0, 0.4 * count), names.slice(0, 0.45 * count)];
  const placement = names.map(nodeNamed);
  const taken = new Set<string>();
  const pods = started.map((node, n) => {
    const pod = newPod(job, template, { node, taken, run: runLabel(hash) }) as Pod;
    const phase = n < finished.length ? 'Succeeded' : 'Running';
    return { ...pod, spec: { ...pod.spec, nodeName: node }, status: { phase } };
  });
  const record = createRun(job, withNodes(newRun(hash), { started, finished }), [], taken);
  if (record.do !== 'create') throw new Error('a record is created');
  const observed = { target: job, pods, placement, podsOnNodes: [], runs: [record.object], revisions: [] };
  const reason = 'bench';
  const run = { hash, attempt: 1, allowed: count, isStarting: true, rerun: new Set<string>(), reason };
  const envelope = {
    goal: hash,
    stable: '',
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    mode: 'InPlace',
    reason,
    run,
  } as const;
  return {
    decide: () => {
      const snapshot = kind.observe({ ...observed, takenNames: taken, now });
      const { actions } = snapshot.decide(envelope, undefined, new Set());
      // Further nodes are put on record before they get pods.
      if (actions[0]?.verb !== 'update run record') throw new Error('further nodes must be started');
    },
    objects: [...placement, ...pods],
  };
}

function nodeNamed(name: string, index: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'topology.kubernetes.io/zone': `zone-${index % 3}` } },
    status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } },
  };
}
