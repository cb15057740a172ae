import type { KubeObject } from '../../schemas/wire/object.ts';
import { nextIdentities, newPod } from '../../semantics/cloneset/pods.ts';
import { cloneSetView, PODS_CREATED_ANNOTATION, revisionOf } from '../../semantics/cloneset/view.ts';
import { revise } from '../../semantics/cloneset/revisions.ts';
import { workloads } from '../../semantics/workload.ts';
import { readyPod } from '../../compiler/forecast/rows.ts';
import { parse } from 'yaml';
import { web } from '../stories/manifests.ts';

const NOW = Date.UTC(2026, 0, 1);

/** One look and one decision over a target whose pods are all old, against parsing the same pods from JSON. */
export function decideBench(
  print: (what: string, ms: number, baseline: { name: string; ms: number } | undefined) => void,
): void {
  for (const replicas of [1_000, 10_000]) {
    const { target, pods, revisions, envelope } = scene(replicas);
    const text = JSON.stringify(pods);
    const parsing = { name: 'JSON.parse of the same pods', ms: median(() => void JSON.parse(text)) };
    const kind = workloads['CloneSet'];
    if (kind === undefined) throw new Error('CloneSet is registered');
    const ms = median(() => {
      const look = kind.look({ target, pods, revisions, takenNames: new Set(), now: NOW });
      const decision = look.decide(envelope, undefined, new Set());
      if (decision.actions.length !== replicas / 5) throw new Error('a fifth of all pods is taken');
    });
    print(`look at and decide() for ${replicas} pods`, ms, parsing);
  }
}

function scene(replicas: number) {
  const before = parse(web({ replicas, maxUnavailable: '20%' })) as KubeObject;
  const after = parse(web({ replicas, maxUnavailable: '20%', image: 'nginx:1.27' })) as KubeObject;
  const revisions: KubeObject[] = [];
  for (const state of [before, after]) {
    const object = { ...state, metadata: { ...state.metadata, uid: 'target' } };
    for (const action of revise(cloneSetView(object, [], revisions), NOW)) {
      if (action.do === 'create') revisions.push(action.object);
    }
  }
  const target = { ...after, metadata: { ...after.metadata, uid: 'target' } };
  const view = cloneSetView(target, [], revisions);
  const old = view.revisions[0];
  const goal = revisionOf(view, view.liveHash);
  if (old === undefined || goal === undefined) throw new Error('two revisions are there');
  const pods = nextIdentities(view, replicas).map((identity, n) =>
    readyPod(newPod(view, old, identity, NOW - 1e6), `uid-${n}`, NOW - 1e6),
  );
  // Every pod is counted already, or the pass would do nothing but count them.
  goal.object.metadata.annotations = {
    ...goal.object.metadata.annotations,
    [PODS_CREATED_ANNOTATION]: String(2 * replicas),
  };
  const envelope = {
    goal: goal.hash,
    stable: old.hash,
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    mode: 'InPlace',
    because: 'bench',
  } as const;
  return { target, pods, revisions, envelope };
}

/** Runs that are not counted: a process that has been up for a while is what is measured. */
const WARM_UP = 40;

function median(run: () => void): number {
  const times: number[] = [];
  for (let i = -WARM_UP; i < 21; i++) {
    const start = performance.now();
    run();
    if (i >= 0) times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[10] ?? 0;
}
