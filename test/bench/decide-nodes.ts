import { parse } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { readyPod } from '../../compiler/forecast/pod-model.ts';
import { runLabel } from '../../semantics/run/labels.ts';
import { newPod } from '../../semantics/broadcastjob/new-pod.ts';
import { newPod as newDaemonPod } from '../../semantics/daemonset/new-pod.ts';
import { normalizeDaemonSet } from '../../semantics/daemonset/normalize.ts';
import { daemonSetView } from '../../semantics/daemonset/view.ts';
import type { Envelope } from '../../semantics/plan/envelope.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { revisionOf } from '../../semantics/revision/revision.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { newRun, withNodes } from '../../semantics/run/run-record.ts';
import { createRun } from '../../semantics/run/run-stored.ts';
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
  const names = nodeNames(count);
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

type Snapshot = ReturnType<NonNullable<ReturnType<typeof plannedKindOf>>['observe']>;

const withImage = (image: string) =>
  parse(`
apiVersion: apps.kruise.io/v1beta1
kind: DaemonSet
metadata: { name: log, namespace: ops, uid: target }
spec:
  burstReplicas: 100%
  selector: { matchLabels: { app: log } }
  updateStrategy: { rollingUpdate: { rollingUpdateType: InPlaceIfPossible, maxUnavailable: 20% } }
  template:
    metadata: { labels: { app: log } }
    spec:
      containers: [{ name: main, image: '${image}', resources: { requests: { cpu: 100m, memory: 64Mi } } }]
`) as KubeObject & { spec: { template: JsonObject } };

/**
 * A DaemonSet whose image has changed, in a step of all nodes: 20 % of them may be without an available pod.
 *
 * @param now milliseconds since 1970
 * @returns one snapshot of it, one decision about a snapshot, and the nodes and pods that these read
 */
export function updateOn(
  count: number,
  now: number,
): { observe: () => Snapshot; decide: (snapshot: Snapshot) => void; objects: KubeObject[] } {
  const kind = plannedKindOf(resources.DaemonSet);
  if (kind === undefined) throw new Error('DaemonSet is registered');
  const [before, after] = [withImage('log:1'), withImage('log:2')] as const;
  const placement = nodeNames(count).map(nodeNamed);
  const revisions: KubeObject[] = [];
  const observe = (target: KubeObject, pods: readonly Pod[]) =>
    kind.observe({ target, pods, placement, revisions: [...revisions], takenNames: new Set(), now });
  for (const target of [before, after])
    for (const action of observe(target, []).revise())
      if (action.do === 'create') revisions.push(action.object);
  const [stable, goal] = [before, after].map(({ spec }) => templateHash(spec.template)) as [string, string];
  const objects = { target: before, pods: [], revisions, takenNames: new Set<string>(), now };
  const view = daemonSetView(objects, normalizeDaemonSet(before), placement);
  const old = revisionOf(view, stable);
  if (old === undefined) throw new Error('the revision before is there');
  const pods = placement.map(({ metadata: { name } }, n): Pod => {
    const pod = readyPod(newDaemonPod(view, old, name, String(n)), `uid-${n}`, now - 1e6);
    return { ...pod, spec: { ...pod.spec, nodeName: name } };
  });
  return {
    observe: () => observe(after, pods),
    decide: (snapshot) => {
      const { actions } = snapshot.decide(toAll(goal, stable), undefined, new Set());
      if (actions.length !== count / 5) throw new Error('a fifth of all nodes must be updated');
    },
    objects: [...placement, ...pods],
  };
}

const toAll = (goal: string, stable: string): Envelope => ({
  goal,
  stable,
  allowed: 'unbounded',
  obeyPartition: true,
  touch: true,
  moving: true,
  mode: 'InPlace',
  reason: 'bench',
});

const nodeNames = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `node-${String(n).padStart(5, '0')}`);

function nodeNamed(name: string, index: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'topology.kubernetes.io/zone': `zone-${index % 3}` } },
    status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } },
  };
}
