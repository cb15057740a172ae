import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { nextIdentities, newPod } from '../../semantics/cloneset/pods.ts';
import { PODS_CREATED_ANNOTATION } from '../../semantics/cloneset/counter.ts';
import { cloneSetView } from '../../semantics/cloneset/view.ts';
import { revise } from '../../semantics/revision/revise.ts';
import { revisionOf } from '../../semantics/revision/revision.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { readyPod } from '../../compiler/forecast/pod-model.ts';
import { parse } from 'yaml';
import { web } from '../stories/manifests.ts';
import { runOn, updateOn } from './decide-nodes.ts';
import { median } from './median.ts';
import type { Print } from './print.ts';

const NOW = Date.UTC(2026, 0, 1);

/** One snapshot and one decision about a target whose pods are all old, compared with parsing the same pods from JSON. */
export function bench(print: Print): void {
  for (const replicas of [1_000, 10_000]) {
    const { target, pods, revisions, envelope } = setup(replicas);
    const text = JSON.stringify(pods);
    const parsing = { name: 'JSON.parse of the same pods', ms: timed(() => void JSON.parse(text)) };
    const kind = plannedKindOf(resources.CloneSet);
    if (kind === undefined) throw new Error('CloneSet is registered');
    const objects = { target, pods, revisions, takenNames: new Set<string>(), now: NOW };
    const parts = {
      observe: () => kind.observe(objects),
      decide(snapshot: ReturnType<typeof kind.observe>) {
        const { actions } = snapshot.decide(envelope, undefined, new Set());
        if (actions.length !== replicas / 5) throw new Error('a fifth of all pods must be updated');
      },
    };
    printBoth(print, parts, `for ${replicas} pods`, parsing);
  }
  for (const nodes of [1_000, 5_000]) {
    const { decide, objects } = runOn(nodes, NOW);
    const text = JSON.stringify(objects);
    const parsing = { name: 'JSON.parse of its nodes and pods', ms: timed(() => void JSON.parse(text)) };
    print(`observe() and decide() for a run on ${nodes} nodes`, timed(decide), parsing);
  }
  for (const nodes of [1_000, 5_000]) {
    const { objects, ...parts } = updateOn(nodes, NOW);
    const text = JSON.stringify(objects);
    const parsing = { name: 'JSON.parse of its nodes and pods', ms: timed(() => void JSON.parse(text)) };
    printBoth(print, parts, `for a DaemonSet on ${nodes} nodes`, parsing);
  }
}

/** Measures a snapshot and a decision about it, each and together. */
function printBoth<Snapshot>(
  print: Print,
  { observe, decide }: { observe: () => Snapshot; decide: (snapshot: Snapshot) => void },
  what: string,
  parsing: { name: string; ms: number },
): void {
  const [observing, deciding] = [[], []] as [number[], number[]];
  const ms = timed(() => {
    const begun = performance.now();
    const snapshot = observe();
    const observed = performance.now();
    decide(snapshot);
    observing.push(observed - begun);
    deciding.push(performance.now() - observed);
  });
  print(`observe() ${what}`, median(observing.slice(-COUNTED)), parsing);
  print(`decide() ${what}`, median(deciding.slice(-COUNTED)), parsing);
  print(`observe() and decide() ${what}`, ms, parsing);
}

/** Nothing was created yet. */
const none = { exist: false, counted: () => [] };

function setup(replicas: number) {
  const before = parse(web({ replicas, maxUnavailable: '20%' })) as KubeObject;
  const after = parse(web({ replicas, maxUnavailable: '20%', image: 'nginx:1.27' })) as KubeObject;
  const revisions: KubeObject[] = [];
  for (const state of [before, after]) {
    const object = { ...state, metadata: { ...state.metadata, uid: 'target' } };
    for (const action of revise(cloneSetView({ target: object, pods: [], revisions }), none)) {
      if (action.do === 'create') revisions.push(action.object);
    }
  }
  const target = { ...after, metadata: { ...after.metadata, uid: 'target' } };
  const view = cloneSetView({ target, pods: [], revisions });
  const old = view.revisions[0];
  const goal = revisionOf(view, view.liveHash);
  if (old === undefined || goal === undefined) throw new Error('two revisions are there');
  const pods = nextIdentities(view, replicas).map((identity, n) =>
    readyPod(newPod(view, old, identity, NOW - 1e6), `uid-${n}`, NOW - 1e6),
  );
  // Every pod is counted already: otherwise the reconcile would only count them.
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
    reason: 'bench',
  } as const;
  return { target, pods, revisions, envelope };
}

/** Warm-up runs, which are not counted: a process that has run for a while is measured. */
const WARM_UP = 40;
const COUNTED = 21;

/** The median of the counted runs, milliseconds. */
function timed(run: () => void): number {
  const times: number[] = [];
  for (let i = -WARM_UP; i < COUNTED; i++) {
    const start = performance.now();
    run();
    if (i >= 0) times.push(performance.now() - start);
  }
  return median(times);
}
