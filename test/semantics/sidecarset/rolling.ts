import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { ObservedObjects, RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import type { ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { reconcile } from '../../../semantics/reconcile/reconcile.ts';
import { injectSidecars } from '../../../semantics/sidecarset/inject.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { publishedRevisions } from '../../../semantics/sidecarset/publish.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { NOW } from './model.ts';

/** Sets and pods of a small cluster: rules decide, and a kubelet starts what they write. */
export interface Rolling {
  sets: Map<string, KubeObject>;
  pods: Map<string, Pod>;
  revisions: Map<string, KubeObject>;
  /** Writes the spec of a set. */
  set(name: string, spec: JsonObject): void;
  /** Creates a pod, injected with the sets that match it. */
  create(name: string, labels?: Record<string, string>): Pod;
  /** Reconciles every set until nothing is written any more, at most so many times; returns the writes of pods. */
  reconcile(times?: number): string[];
  /** The pods that one decision about a set updates within this envelope, in order; nothing is written. */
  updatedWithin(name: string, envelope: Envelope): string[];
  /** The kubelet starts what was written. A broken image never becomes ready, and a missing one cannot be pulled. */
  kubelet(isBroken?: (image: string) => boolean, isMissing?: (image: string) => boolean): void;
  status(name: string): JsonObject;
  /** Events of the last reconciles. */
  events: string[];
  /** What limits how many pods may be unavailable. Default: nothing is observed of that. */
  limits: Pick<ObservedObjects, 'owners' | 'disruptionBudgets' | 'reserved'>;
  /** What the last reconcile of a set explained, and when it asked for another one. */
  explained: Record<string, string>;
  requeueAt: number | undefined;
  /** The limit of others that the last observed set waits for. */
  limitedBy: string | undefined;
  /** What a verdict would say of its next pods. */
  blockedBy: string | undefined;
  image(pod: string, container: string): string | undefined;
}

/** A world in which no plan is needed: the own strategy of each set applies. */
export function rolling(): Rolling {
  const sets = new Map<string, KubeObject>();
  const pods = new Map<string, Pod>();
  const revisions = new Map<string, KubeObject>();
  const events: string[] = [];
  let version = 0;
  let now = NOW;

  function stored<Of extends KubeObject>(object: Of): Of {
    version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
  }

  function execute(action: Action, writes: string[]): void {
    if (action.kind === 'ControllerRevision') {
      if (action.do === 'create') {
        const { object } = action;
        const metadata = { ...object.metadata, uid: object.metadata.name };
        revisions.set(object.metadata.name, stored({ ...object, metadata }));
      } else if (action.do === 'delete') revisions.delete(action.name);
      else {
        const found = revisions.get(action.name);
        if (found !== undefined) revisions.set(action.name, stored(patched(found, action.body)));
      }
      return;
    }
    if (action.do !== 'patch') throw new Error(`${action.do} of a pod`);
    const pod = pods.get(action.name);
    if (pod === undefined) return;
    writes.push(`${action.verb} ${action.name}`);
    pods.set(action.name, stored(patched(pod, action.body)));
  }

  function observed(target: KubeObject): RolloutSnapshot {
    const { selector } = objectOf(target['spec']);
    const labels = objectOf(objectOf(selector)['matchLabels']);
    const own = [...revisions.values()].filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === target.metadata.uid,
    );
    const selected = [...pods.values()].filter(({ metadata }) =>
      Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
    );
    const objects = { target, pods: selected, revisions: own, takenNames: new Set<string>() };
    return sidecarSetKind.observe({ ...objects, ...self.limits, now });
  }

  function reconcileOne(name: string): string[] | undefined {
    const target = sets.get(name);
    if (target === undefined) return undefined;
    const snapshot = observed(target);
    const { units, liveHash } = snapshot.rollout;
    self.limitedBy = units.of === 'selected' ? units.limitedBy(liveHash, undefined) : undefined;
    self.blockedBy = units.of === 'selected' ? units.blockedBy(liveHash, undefined) : undefined;
    const decided = reconcile(
      snapshot,
      {
        plans: [],
        commands: [],
        memory: [],
        progressClock: undefined,
        inSyncSince: 0,
        policy: 'Auto',
        context: emptyContext,
      },
      now,
    );
    const writes: string[] = [];
    const actions =
      decided.do === 'record'
        ? decided.writes.flatMap((write) => (write.do === 'actions' ? write.actions : []))
        : decided.do === 'act'
          ? decided.actions
          : [];
    for (const action of inSequence(actions)) execute(action, writes);
    if (decided.do === 'act') {
      events.push(...decided.events.map(({ reason }) => reason));
      self.explained = Object.fromEntries(decided.explanations.map(({ about, reason }) => [about, reason]));
      self.requeueAt = decided.requeueAt;
      sets.set(name, { ...target, status: decided.status });
    }
    return actions.length === 0 ? undefined : writes;
  }

  const self: Rolling = {
    sets,
    pods,
    revisions,
    events,
    limits: {},
    explained: {},
    requeueAt: undefined,
    limitedBy: undefined,
    blockedBy: undefined,
    set(name, spec) {
      const before = sets.get(name);
      const uid = before?.metadata.uid ?? `uid-of-${name}`;
      const generation = (before?.metadata.generation ?? 0) + 1;
      const set: KubeObject = {
        ...before,
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'SidecarSet',
        metadata: { name, uid, generation },
        spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
      };
      sets.set(name, stored(set));
    },
    create(name, labels = {}) {
      const all = [...sets.values()];
      const created: KubeObject = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, labels: { app: 'web', ...labels } },
        spec: { containers: [{ name: 'nginx', image: 'nginx:1' }], nodeName: 'node' },
      };
      const result = injectSidecars({
        pod: created,
        namespace: { name: 'shop', labels: {} },
        sets: all,
        revisions: [...revisions.values()],
        published: publishedRevisions(all, [...revisions.values()], created, name, () => false),
        requestId: name,
        now,
        sortsContainers: false,
      });
      if ('refused' in result) throw new Error(result.refused);
      const pod = stored(result.pod as Pod);
      pods.set(name, pod);
      return pod;
    },
    reconcile(times = 20) {
      const writes: string[] = [];
      for (let round = 0; round < times; round++) {
        now += 1000;
        const done = [...sets.keys()].sort().flatMap((name) => {
          const found = reconcileOne(name);
          return found === undefined ? [] : [found];
        });
        if (done.length === 0) break;
        writes.push(...done.flat());
      }
      return writes;
    },
    updatedWithin(name, envelope) {
      const target = sets.get(name);
      if (target === undefined) throw new Error(`there is no set ${name}`);
      const { actions } = observed(target).decide(envelope, undefined, new Set());
      return actions.flatMap((action) =>
        action.do === 'patch' && action.verb === 'update in place' ? [action.name] : [],
      );
    },
    kubelet(isBroken = () => false, isMissing = () => false) {
      for (const [name, pod] of pods) pods.set(name, stored(started(pod, isBroken, isMissing)));
    },
    status: (name) => objectOf(sets.get(name)?.['status']),
    image: (pod, container) => pods.get(pod)?.spec.containers.find((each) => each.name === container)?.image,
  };
  return self;
}

function started(pod: Pod, isBroken: (image: string) => boolean, isMissing: (image: string) => boolean): Pod {
  const before = pod.status?.containerStatuses ?? [];
  const containerStatuses = pod.spec.containers.map(({ name, image }): ContainerStatus => {
    const was = before.find((each) => each.name === name);
    if (was !== undefined && isMissing(image))
      return { ...was, ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } };
    const restarts = (was?.restartCount ?? 0) + (was === undefined || was.image === image ? 0 : 1);
    return { name, image, imageID: `id-of-${image}`, ready: !isBroken(image), restartCount: restarts };
  });
  const isReady = containerStatuses.every(({ ready }) => ready);
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const ready = { type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) };
  return { ...pod, status: { phase: 'Running', conditions: [...others, ready], containerStatuses } };
}
