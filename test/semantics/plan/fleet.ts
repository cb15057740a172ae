import { resources } from '../../../schemas/wire/resources.ts';
import type { FromEntry, RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { fromEntries, supersededDigests } from '../../../compiler/plan/from.ts';
import { createPodModel, type PodModel, readyPod } from '../../../compiler/forecast/pod-model.ts';
import { nextIdentities, newPod } from '../../../semantics/cloneset/pods.ts';
import { cloneSetView } from '../../../semantics/cloneset/view.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import type { Advance } from '../../../semantics/plan/advance.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from '../../../semantics/plan/digest.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { COMPLETE_ANNOTATION } from '../../../semantics/revision/revision.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { classify } from '../../../semantics/template/classify.ts';
import type { RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import { plannedKindOf } from '../../../semantics/registry/registry.ts';
import { type Drive, drive, activePlanOf } from './drive.ts';
import { command, NOW, planObject } from './rollout.ts';

/** A target in git: its template, and its bound. */
export interface Manifest {
  template: number;
  partition: number;
}

/** One git state: a manifest, and its plan file if there is one. */
export interface Commit {
  manifest: Manifest;
  plan: RolloutPlanSpec | undefined;
}

const DAY = 24 * 3_600_000;
const policy = 'InPlaceIfPossible';

/** Four templates; a change between the last and the others cannot be made in place. */
const templates: JsonObject[] = ['1', '2', '3', '3'].map((image, i) => ({
  metadata: { labels: { app: 'web' } },
  spec: { ...(i === 3 ? { hostname: 'web' } : {}), containers: [{ name: 'main', image: `web:${image}` }] },
}));
export const hashes = templates.map(templateHash);

const MOST_EARLIER = 5;
const MOST_DIGESTS = 10;

/**
 * What `kruise plan` writes for a commit on top of another; nothing changes without a change of template or bound.
 *
 * @param history what the plan file held before the commit at base, newest first: where those plans led to pods may depart
 *   from, as with a `--base` whose history is known
 */
export function commitOn(
  base: Commit,
  manifest: Manifest,
  steps: Step[],
  history: readonly Commit[] = [],
): Commit {
  const { template, partition } = base.manifest;
  if (template === manifest.template && partition === manifest.partition) return base;
  const [from, to] = [hashes[template] ?? '', hashes[manifest.template] ?? ''];
  const change = classify(templates[template] ?? {}, templates[manifest.template] ?? {}, { policy });
  const earlier = history.flatMap(({ plan }) => (plan === undefined ? [] : [plan]));
  const digests = [...supersededDigests(base.plan), ...earlier.map(({ digest }) => digest)];
  const supersedes = [...new Set(digests)].slice(0, MOST_DIGESTS);
  const listed = fromEntries(to, from, change, base.plan);
  const known = new Set([to, ...listed.map(({ hash }) => hash)]);
  const left = [...new Set(earlier.map((plan) => plan.to.hash))].filter((hash) => !known.has(hash));
  const content: Omit<RolloutPlanSpec, 'digest'> = {
    format: PLAN_FORMAT,
    semantics: PLAN_SEMANTICS,
    target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
    to: { hash: to, bound: { partition: manifest.partition } },
    from: [
      ...listed,
      ...left.slice(0, MOST_EARLIER).map((hash): FromEntry => ({ hash, mode: 'Recreate', depart: true })),
    ],
    ...(supersedes.length === 0 ? {} : { supersedes }),
    steps,
  };
  return { manifest, plan: { ...content, digest: planDigest(content) } };
}

/** A CloneSet in a model of a cluster, reconciled by the rules themselves, with the records of a runtime. */
export interface Fleet {
  drive: Drive;
  /** What a sync engine has applied. */
  apply(manifest: Manifest): void;
  applyPlan(plan: RolloutPlanSpec | undefined): void;
  scale(replicas: number): void;
  pause(paused: boolean): void;
  /** Removes a pod, as the loss of its node does. */
  lose(index: number): void;
  /** One reconcile as in the runtime: records first, then actions. True: it did something. */
  reconcile(): boolean;
  /** Advances the time, and starting pods become ready. */
  advanceClock(ms: number): void;
  /** Gives every approval that is waited for. */
  approve(): void;
  /** Pods by template, and how many are available. */
  counts(): { pods: number[]; available: number };
  ending(): object;
}

/** @param own fields of the target's updateStrategy, in addition to the defaults */
export function createFleet(replicas: number, own: JsonObject = {}): Fleet {
  const kind = plannedKindOf(resources.CloneSet);
  if (kind === undefined) throw new Error('there are rules for a CloneSet');
  const revisions = new Map<string, KubeObject>();
  let target = cloneSet(replicas, own);
  let version = 1;
  let last: Advance | undefined;
  const first = stored(
    {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'web-first', annotations: { [COMPLETE_ANNOTATION]: '1' } },
      data: revisionData(templates[0] ?? {}),
      revision: 1,
    },
    1,
  );
  revisions.set(first.metadata.name, first);
  const view = cloneSetView({ target, pods: [], revisions: [first] });
  const [revision] = view.revisions;
  if (revision === undefined) throw new Error('the first revision is there');
  const rows: PodModel = createPodModel(
    nextIdentities(view, replicas).map((identity, n) =>
      readyPod(newPod(view, revision, identity, NOW - DAY), `pod-${n}`, NOW - DAY),
    ),
    view.spec.lifecycle,
  );
  const self = drive();

  function look(): RolloutSnapshot {
    return kind!.observe({
      target,
      pods: rows.pods(),
      revisions: [...revisions.values()],
      takenNames: new Set(),
      now: self.now,
    });
  }

  function act(actions: readonly Action[]): void {
    for (const action of inSequence(actions)) {
      rows.apply(action, self.now);
      if (action.kind !== 'ControllerRevision') continue;
      version += 1;
      if (action.do === 'create') revisions.set(action.object.metadata.name, stored(action.object, version));
      else if (action.do === 'delete') revisions.delete(action.name);
      else {
        const object = revisions.get(action.name);
        if (object !== undefined) revisions.set(action.name, stored(patched(object, action.body), version));
      }
    }
  }

  function spec(parts: JsonObject): void {
    target = { ...target, spec: { ...(target['spec'] as JsonObject), ...parts } };
  }

  function strategy(parts: JsonObject): void {
    spec({
      updateStrategy: { ...((target['spec'] as JsonObject)['updateStrategy'] as JsonObject), ...parts },
    });
  }

  return {
    drive: self,
    apply({ template, partition }) {
      spec({ template: templates[template] ?? {} });
      strategy({ partition });
    },
    applyPlan(plan) {
      const [present] = self.plans;
      if (present?.spec.digest === plan?.digest) return;
      self.plans = plan === undefined ? [] : [{ ...planObject(plan, 'cloneset-web'), since: self.now }];
    },
    scale: (n) => spec({ replicas: n }),
    pause: (paused) => strategy({ paused }),
    lose(index) {
      const pods = rows.pods();
      const pod = pods[index % Math.max(pods.length, 1)];
      if (pod === undefined) return;
      const { name, uid = '', resourceVersion = '' } = pod.metadata;
      rows.apply(
        { do: 'delete', kind: 'Pod', verb: 'lose', reason: '', name, uid, resourceVersion },
        self.now,
      );
    },
    reconcile() {
      const before = look();
      const revise = before.revise();
      if (revise.length > 0) {
        act(revise);
        return true;
      }
      self.view = before.rollout;
      const memory = self.memory;
      last = self.reconcile();
      const { stable, retained } = self.view;
      act(before.complete(stable, retained));
      const decision = look().decide(last.envelope, heldReason(self.view, last, self.plans), new Set(hashes));
      target = { ...target, status: decision.status };
      act(decision.actions);
      return decision.actions.length > 0 || self.memory !== memory;
    },
    advanceClock(ms) {
      self.now += ms;
      rows.markReady(self.now);
    },
    approve() {
      const current = activePlanOf(self);
      const step = current?.spec.steps[current.progress.step];
      if (current?.progress.phase !== 'AwaitingApproval' || step === undefined) return;
      const uid = `${current.spec.digest} ${current.progress.seq} ${step.id} ${current.progress.consumed.length}`;
      const approval = command('Approve', { step: step.id, digest: current.spec.digest });
      self.commands = [{ ...approval, uid, createdAt: self.now }];
    },
    counts() {
      const { pods } = look().rollout;
      return {
        pods: hashes.map((hash) => pods.filter((pod) => pod.hash === hash).length),
        available: pods.filter((pod) => pod.available).length,
      };
    },
    ending() {
      const { rollout } = look();
      const ready = rollout.pods.filter((pod) => pod.available);
      const { phase = 'none', cause } = activePlanOf(self)?.progress ?? {};
      const held = rollout.retained && {
        n: rollout.retained.n,
        template: hashes.indexOf(rollout.retained.hash),
      };
      return {
        pods: hashes.map((hash) => ready.filter((pod) => pod.hash === hash).length),
        unavailable: rollout.pods.length - ready.length,
        stable: hashes.indexOf(rollout.stable),
        held,
        verdict: phase === 'Halted' || phase === 'Aborted' || (phase === 'Reverted' && cause !== 'git'),
        blocked: last?.blocked?.reason,
        waits: last && heldReason(rollout, last, self.plans)?.reason,
      };
    },
  };
}

function cloneSet(replicas: number, own: JsonObject): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop', uid: 'target' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: templates[0] ?? {},
      updateStrategy: { type: policy, partition: 0, maxUnavailable: 2, paused: false, ...own },
    },
  };
}

function stored(object: KubeObject, version: number): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, uid: metadata.name, resourceVersion: String(version) } };
}
