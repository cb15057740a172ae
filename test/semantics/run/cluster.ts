import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { broadcastJobKind } from '../../../semantics/broadcastjob/kind.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import type { ObservedObjects, RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import type { Node } from '../../../semantics/node/node.ts';
import type { PodOnNode } from '../../../semantics/node/pod-on-node.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from '../../../semantics/plan/digest.ts';
import { type Accepted, snapshotObject, parseSnapshot } from '../../../semantics/plan/memory.ts';
import type { Policy } from '../../../semantics/policy.ts';
import type { Command, ProgressClock } from '../../../semantics/plan/advance-input.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { reconcile, type Reconciled } from '../../../semantics/reconcile/reconcile.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

const START = Date.UTC(2026, 0, 2);
const MINUTE = 60_000;

/** The template of a run: another number is another run. */
export function templateOf(run: number): JsonObject {
  return { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: `fix:${run}` }] } };
}

/** A plan of these steps for a run. */
export function planOf(run: number, steps: Step[], more: Partial<RolloutPlanSpec> = {}): RolloutPlanSpec {
  const content = {
    format: PLAN_FORMAT,
    semantics: PLAN_SEMANTICS,
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob', name: 'fix' },
    to: { hash: templateHash(templateOf(run)), bound: {} },
    from: [],
    irreversible: 'what ran on a node stays',
    steps,
    ...more,
  };
  return { ...content, digest: planDigest(content) };
}

/** Nodes, pods, records and one BroadcastJob, which only the rules change: a cluster without a runtime. */
export class RunCluster {
  now = START;
  policy: Policy = 'Required';
  nodes: Node[] = [];
  pods: Pod[] = [];
  runs: KubeObject[] = [];
  podsOnNodes: PodOnNode[] = [];
  memory: Accepted[] = [];
  plans: RolloutPlanSpec[] = [];
  commands: Command[] = [];
  job: KubeObject;
  /** Nodes on which the run fails. */
  failsOn = new Set<string>();
  /** Names of pods that never end. */
  hung = new Set<string>();
  /** What happens to a node when its pod has ended there. */
  afterwards: (node: string) => void = () => undefined;
  /** Nodes in the order in which pods were created. */
  created: string[] = [];
  /** The most nodes with a running pod, and their zones. */
  mostActive = 0;
  mostZones = 0;
  last: Reconciled | undefined;
  private clock: ProgressClock | undefined;
  private written = 0;

  constructor(nodes: string, spec: JsonObject = {}) {
    for (const word of nodes.split(' ')) this.join(word);
    this.job = this.jobOf(1, spec);
  }

  /** `a1@x`: node `a1` in zone `x`. */
  join(word: string): void {
    const [name = '', zone] = word.split('@');
    this.nodes.push({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: zone === undefined ? {} : { zone } },
      status: {
        allocatable: { cpu: '2', pods: '10' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    this.podsOnNodes.push({
      node: name,
      namespace: 'ops',
      name: `on-${name}`,
      uid: `on-${name}`,
      available: true,
      restarts: 0,
      changedAt: 0,
      changingUntil: 0,
      createdAt: START - MINUTE,
    });
  }

  removeNode(node: string): void {
    this.nodes = this.nodes.filter(({ metadata }) => metadata.name !== node);
    this.pods = this.pods.filter((pod) => nodeOfPod(pod) !== node);
  }

  cordon(node: string, unschedulable = true): void {
    this.nodes = this.nodes.map((each) =>
      each.metadata.name === node ? { ...each, spec: { ...each.spec, unschedulable } } : each,
    );
  }

  /** Another pod on the node stops working. */
  hurt(node: string): void {
    this.podsOnNodes = this.podsOnNodes.map((pod) =>
      pod.node === node ? { ...pod, available: false } : pod,
    );
  }

  /** Git sets the template, and the rest of the spec. */
  commit(run: number, spec: JsonObject = {}): void {
    const { status, metadata } = this.job;
    this.job = { ...this.jobOf(run, spec), metadata, ...(status === undefined ? {} : { status }) };
  }

  /** The engine prunes the job, and applies it again: what it owned is gone. */
  recreate(): void {
    const { status: _status, ...job } = this.job;
    this.job = { ...job, metadata: { ...job.metadata, uid: `${job.metadata.uid ?? ''}+` } };
    this.pods = [];
    this.memory = [];
    this.clock = undefined;
  }

  command(action: Command['spec']['action']): void {
    const name = `command-${this.commands.length}`;
    this.commands.push({
      uid: name,
      name,
      createdAt: this.now,
      spec: { target: { kind: 'BroadcastJob', name: 'fix' }, action, by: 'mona' },
      result: undefined,
    });
  }

  get active(): Accepted | undefined {
    return this.memory.toSorted((a, b) => b.progress.seq - a.progress.seq)[0];
  }

  /** Phase and step of the active plan: `Soaking soak-2`. */
  get state(): string {
    const { active } = this;
    if (active === undefined) return 'no plan';
    const { phase, step } = active.progress;
    return `${phase} ${active.spec.steps[step]?.id ?? ''}`.trim();
  }

  get held(): string {
    const { last } = this;
    return last?.do === 'act' || last?.do === 'hold' ? `${last.held?.reason}: ${last.held?.message}` : '';
  }

  /** Reconciles until nothing is left to do; pods then end, until none is left that runs. */
  settle(): void {
    for (let round = 0; round < 200; round++) {
      if (this.reconcile()) continue;
      if (!this.endOne()) return;
    }
    throw new Error('it never settles');
  }

  /** Time passes. */
  wait(minutes: number): void {
    for (let at = 0; at < minutes * 2; at++) {
      this.settle();
      this.now += MINUTE / 2;
    }
    this.settle();
  }

  /** Whether the decision changed anything. */
  reconcile(): boolean {
    const snapshot = this.observe();
    const plans = this.plans.map((spec, i) => ({
      name: `plan-${i}`,
      uid: `plan-${i}`,
      spec,
      since: START,
      wasStale: false,
      refused: undefined,
    }));
    const decided = reconcile(
      snapshot,
      {
        plans,
        commands: this.commands,
        memory: this.memory,
        progressClock: this.clock,
        inSyncSince: 0,
        policy: this.policy,
        context: emptyContext,
      },
      this.now,
    );
    this.last = decided;
    if ('rolloutResult' in decided && decided.rolloutResult !== undefined)
      this.clock = decided.rolloutResult.result.progressClock;
    if (decided.do === 'record') {
      for (const write of decided.writes) {
        if (write.do === 'actions') write.actions.forEach((action) => this.apply(action));
        else if (write.do === 'accept') this.remember(write.spec, write.progress);
        else this.remember(write.accepted.spec, write.accepted.progress);
      }
      return true;
    }
    if (decided.do !== 'act') return false;
    this.job = { ...this.job, status: decided.status };
    for (const action of inSequence(decided.actions)) this.apply(action);
    return decided.actions.length > 0;
  }

  /** What the rules of its kind make of it. */
  protected observe(): RolloutSnapshot {
    return broadcastJobKind.observe({ ...this.objects(), pods: this.pods });
  }

  protected objects(): ObservedObjects {
    return {
      target: this.job,
      pods: [],
      revisions: [],
      takenNames: new Set(),
      placement: this.nodes,
      podsOnNodes: this.podsOnNodes,
      runs: this.runs,
      now: this.now,
    };
  }

  private remember(spec: RolloutPlanSpec, progress: Accepted['progress']): void {
    const owner = { apiVersion: 'v1', kind: 'BroadcastJob', name: 'fix', uid: 'job', controller: true };
    const stored = parseSnapshot(snapshotObject({ name: 'fix', namespace: 'ops', owner }, spec, progress));
    if (stored === undefined) throw new Error('the record of the plan cannot be read');
    this.memory = [...this.memory.filter((each) => each.spec.digest !== spec.digest), stored];
  }

  private apply(action: Action): void {
    this.written += 1;
    const own = { uid: `uid-${this.written}`, resourceVersion: String(this.written) };
    const isRun = action.kind === 'ControllerRevision';
    if (action.do === 'create') {
      const object = { ...action.object, metadata: { ...action.object.metadata, ...own } };
      if (isRun) this.runs = [...this.runs, object];
      else this.start(object as Pod);
    } else if (action.do === 'patch') {
      this.runs = this.runs.map((each) =>
        each.metadata.name === action.name ? patched(each, action.body) : each,
      );
    } else if (isRun) {
      this.runs = this.runs.filter(({ metadata }) => metadata.name !== action.name);
    } else {
      this.pods = this.pods.filter(({ metadata }) => metadata.name !== action.name);
    }
  }

  protected start(pod: Pod): void {
    const node = nodeOfPod(pod);
    const metadata = { ...pod.metadata, creationTimestamp: timestamp(this.now) };
    this.created.push(node);
    this.pods.push({ ...pod, metadata, spec: { ...pod.spec, nodeName: node }, status: { phase: 'Running' } });
    const active = this.pods.filter(({ status }) => status?.phase === 'Running').map(nodeOfPod);
    const zones = active.map(
      (name) => this.nodes.find((each) => each.metadata.name === name)?.metadata.labels?.['zone'],
    );
    this.mostActive = Math.max(this.mostActive, active.length);
    this.mostZones = Math.max(this.mostZones, new Set(zones).size);
  }

  /** The first running pod ends. */
  protected endOne(): boolean {
    const pod = this.pods.find(
      ({ status, metadata }) => status?.phase === 'Running' && !this.hung.has(metadata.name),
    );
    if (pod === undefined) return false;
    const node = nodeOfPod(pod);
    const phase = this.failsOn.has(node) ? 'Failed' : 'Succeeded';
    this.pods = this.pods.map((each) => (each === pod ? { ...each, status: { phase } } : each));
    this.afterwards(node);
    return true;
  }

  protected jobOf(run: number, spec: JsonObject): KubeObject {
    return {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'BroadcastJob',
      metadata: { name: 'fix', namespace: 'ops', uid: 'job' },
      spec: { template: templateOf(run), ...spec },
    };
  }
}
