import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { daemonSetKind } from '../../../semantics/daemonset/kind.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import type { Node } from '../../../semantics/node/node.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Command, ProgressClock } from '../../../semantics/plan/advance-input.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from '../../../semantics/plan/digest.ts';
import { type Accepted, parseSnapshot, snapshotObject } from '../../../semantics/plan/memory.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { reconcile } from '../../../semantics/reconcile/reconcile.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

const SECOND = 1_000;
/** Between two observations: a pod that was created is ready at the next one. */
const ROUND_MS = 60 * SECOND;

/** `1` or `2:ab`: the number of the image, and the labels that a node must have. `1*`: its pods tolerate every taint. */
export type Version = string;

export function templateOf(version: Version): JsonObject {
  const [tag = '', labels = ''] = version.split(':');
  const image = tag.replace('*', '');
  return {
    metadata: { labels: { app: 'agent' } },
    spec: {
      containers: [{ name: 'main', image: `agent:${image}` }],
      ...(labels !== '' && { nodeSelector: labelsOf(labels) }),
      ...(image !== tag && { tolerations: [{ operator: 'Exists' }] }),
    },
  };
}

/** `ab`: a label for each letter. */
export function labelsOf(letters: string): Record<string, string> {
  return Object.fromEntries([...letters].map((letter) => [letter, 'yes']));
}

/** A plan from some versions, the present one first, to another. */
export function planOf(
  from: readonly Version[],
  to: Version,
  steps: readonly Step[],
  bound: RolloutPlanSpec['to']['bound'] = {},
): RolloutPlanSpec {
  const content = {
    format: PLAN_FORMAT,
    semantics: PLAN_SEMANTICS,
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', name: 'agent' },
    to: { hash: templateHash(templateOf(to)), bound },
    from: from.map((each) => ({ hash: templateHash(templateOf(each)), mode: 'Recreate' as const })),
    steps: [...steps],
  };
  return { ...content, digest: planDigest(content) };
}

/** A DaemonSet on nodes, with plans: a cluster without a runtime, in which only the rules change anything. */
export class NodeCluster {
  now = Date.UTC(2026, 0, 1);
  plans: RolloutPlanSpec[] = [];
  commands: Command[] = [];
  nodes: Node[] = [];
  pods: Pod[] = [];
  target: KubeObject;
  /** Images whose pods never become ready. */
  broken = new Set<string>();
  /** Nodes whose pods are not ready, though they are; `n1=2`: those with this image alone. */
  failing = new Set<string>();
  /** Nodes without room for a further pod. */
  full = new Set<string>();
  /** `n1 1`: the nodes that lost a pod by a deletion of the rules, and its image. */
  deleted: string[] = [];
  held = '';
  /** Why the plan went on, or ended. */
  messages: string[] = [];
  revisions: KubeObject[] = [];
  memory: Accepted[] = [];
  private clock: ProgressClock | undefined;
  private written = 0;

  /**
   * @param nodes `n1 n2:ab`: nodes, and the letters of their labels
   * @param rolling fields of `updateStrategy.rollingUpdate`
   */
  constructor(version: Version, nodes: string, rolling: JsonObject = {}, spec: JsonObject = {}) {
    this.target = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'ops', uid: 'uid-agent', generation: 1 },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: templateOf(version),
        updateStrategy: { rollingUpdate: rolling },
        ...spec,
      },
    };
    for (const word of nodes.split(' ')) this.join(word);
  }

  /** A node is created. */
  join(word: string): this {
    const [name = '', letters = ''] = word.split(':');
    this.nodes.push({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: labelsOf(letters), creationTimestamp: timestamp(this.now) },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    return this;
  }

  /** A node is not Ready any more, with its taints and the condition of its pods; or is so again. */
  setReady(name: string, isReady: boolean): this {
    const key = 'node.kubernetes.io/not-ready';
    const taints = isReady ? [] : ['NoSchedule', 'NoExecute'].map((effect) => ({ key, effect }));
    // The kubelet ends what is being deleted.
    if (isReady)
      this.pods = this.pods.filter(
        (pod) => nodeOfPod(pod) !== name || pod.metadata.deletionTimestamp === undefined,
      );
    return this.changeNode(name, (node) => ({
      ...node,
      spec: { taints },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: isReady ? 'True' : 'Unknown',
            lastTransitionTime: timestamp(this.now),
          },
        ],
      },
    }));
  }

  /** A node is shut down: its pods end first. */
  shutDown(name: string): this {
    const status = { phase: 'Failed' as const, conditions: [condition('Ready', false)] };
    this.pods = this.pods.map((pod) => (nodeOfPod(pod) === name ? { ...pod, status } : pod));
    return this.setReady(name, false);
  }

  taint(name: string, effect: 'NoSchedule' | 'NoExecute'): this {
    return this.changeNode(name, (node) => ({ ...node, spec: { taints: [{ key: 'dedicated', effect }] } }));
  }

  /** The letters of a node's labels from now on. */
  label(name: string, letters: string): this {
    const labels = labelsOf(letters);
    return this.changeNode(name, (node) => ({ ...node, metadata: { ...node.metadata, labels } }));
  }

  remove(name: string): this {
    this.nodes = this.nodes.filter(({ metadata }) => metadata.name !== name);
    this.pods = this.pods.filter((pod) => nodeOfPod(pod) !== name);
    return this;
  }

  /** Somebody deletes the pods of a node. */
  losePod(name: string): this {
    this.pods = this.pods.filter((pod) => nodeOfPod(pod) !== name);
    return this;
  }

  /** A commit changes the manifest. */
  commit(version: Version, rolling?: JsonObject): this {
    const spec = objectOf(this.target['spec']);
    const { generation = 0 } = this.target.metadata;
    this.target = {
      ...this.target,
      metadata: { ...this.target.metadata, generation: generation + 1 },
      spec: {
        ...spec,
        template: templateOf(version),
        ...(rolling !== undefined && { updateStrategy: { rollingUpdate: rolling } }),
      },
    };
    return this;
  }

  command(action: Command['spec']['action'], parts: Partial<Command['spec']> = {}): this {
    const name = `command-${this.commands.length}`;
    const spec = { target: { kind: 'DaemonSet', name: 'agent' }, action, by: 'mona', ...parts };
    this.commands.push({ uid: name, name, createdAt: this.now, spec, result: undefined });
    return this;
  }

  /** Somebody breaks the glass for so many minutes. */
  breakGlass(minutes: number): this {
    this.command('BreakGlass');
    const expires = timestamp(this.now + minutes * 60 * SECOND);
    this.commands = this.commands.map((each) =>
      each.spec.action === 'BreakGlass' ? { ...each, spec: { ...each.spec, expires } } : each,
    );
    return this;
  }

  /** Phase, step and reason of the active plan. */
  get state(): string {
    const { phase, step = 0, reason } = this.progress ?? {};
    if (phase === undefined) return 'no plan';
    const id = this.active?.spec.steps[step]?.id;
    return [phase, id, reason].filter((part) => part !== undefined).join(' ');
  }

  get progress(): Accepted['progress'] | undefined {
    return this.active?.progress;
  }

  private get active(): Accepted | undefined {
    return this.memory.toSorted((a, b) => b.progress.seq - a.progress.seq)[0];
  }

  /** `n1=1 n2=2`: the images of the nodes that have a pod, one that is being deleted included. */
  get images(): string {
    const byNode = this.pods.map((pod) => `${nodeOfPod(pod)}=${imageOf(pod)}`);
    return byNode.sort().join(' ');
  }

  /** So many minutes pass. */
  run(minutes: number): this {
    for (let left = (minutes * 60 * SECOND) / ROUND_MS; left > 0; left -= 1) {
      for (let round = 0; this.reconcile(); round++) if (round > 50) throw new Error('it never settles');
      this.now += ROUND_MS;
      this.pods = this.pods.map((pod) => this.settled(pod));
    }
    return this;
  }

  /** What becomes of a pod with time. */
  private settled(pod: Pod): Pod {
    if (pod.status?.phase === 'Failed') return pod;
    const name = nodeOfPod(pod);
    const node = this.nodes.find(({ metadata }) => metadata.name === name);
    const isUp = node?.status?.conditions?.some(({ status }) => status === 'True') === true;
    const isBound = pod.spec.nodeName !== undefined || (isUp && !this.full.has(name));
    const isReady = isUp && isBound && !this.failsOn(name, imageOf(pod));
    const conditions = isBound
      ? [condition('Ready', isReady), condition('ContainersReady', isReady)]
      : [{ ...condition('PodScheduled', false), reason: 'Unschedulable', message: 'no room' }];
    const before = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    if (before === String(isReady).replace(/^./, (letter) => letter.toUpperCase())) return pod;
    const lastTransitionTime = timestamp(this.now);
    const began = pod.status?.conditions?.find(({ type }) => type === 'Initialized') ?? {
      ...condition('Initialized', true),
      lastTransitionTime,
    };
    return {
      ...pod,
      spec: isBound ? { ...pod.spec, nodeName: name } : pod.spec,
      status: {
        phase: isBound ? 'Running' : 'Pending',
        conditions: [
          ...conditions.map((each) => ({ ...each, lastTransitionTime })),
          ...(isBound ? [began] : []),
        ],
      },
    };
  }

  private failsOn(name: string, image: string): boolean {
    return this.broken.has(image) || this.failing.has(name) || this.failing.has(`${name}=${image}`);
  }

  private changeNode(name: string, change: (node: Node) => Node): this {
    this.nodes = this.nodes.map((node) => (node.metadata.name === name ? change(node) : node));
    this.pods = this.pods.map((pod) => this.settled(pod));
    return this;
  }

  /** Whether the decision changed anything. */
  private reconcile(): boolean {
    const { target, pods, revisions, nodes, now } = this;
    const snapshot = daemonSetKind.observe({
      target,
      pods,
      revisions,
      placement: nodes,
      takenNames: new Set(),
      now,
    });
    const plans = this.plans.map((spec, i) => ({
      name: `plan-${i}`,
      uid: `plan-${i}`,
      spec,
      since: 0,
      wasStale: false,
      refused: undefined,
    }));
    const side = {
      plans,
      commands: this.commands,
      memory: this.memory,
      progressClock: this.clock,
      inSyncSince: 0,
      policy: 'Required' as const,
      context: emptyContext,
    };
    const decided = reconcile(snapshot, side, now);
    if ('rolloutResult' in decided && decided.rolloutResult !== undefined) {
      const { progressClock, transitions, answered } = decided.rolloutResult.result;
      this.clock = progressClock;
      this.messages.push(...transitions.map(({ message }) => message));
      const answers = new Map(answered.map(({ uid, result }) => [uid, result]));
      this.commands = this.commands.map((each) => ({
        ...each,
        result: answers.get(each.uid) ?? each.result,
      }));
    }
    if (decided.do === 'record') {
      for (const write of decided.writes) {
        if (write.do === 'actions') for (const action of write.actions) this.apply(action);
        else if (write.do === 'accept') this.remember(write.spec, write.progress);
        else this.remember(write.accepted.spec, write.accepted.progress);
      }
      return true;
    }
    if (decided.do !== 'act') return false;
    this.target = { ...target, status: decided.status };
    this.held = decided.held?.reason ?? '';
    for (const action of inSequence(decided.actions)) this.apply(action);
    return decided.actions.length > 0;
  }

  private remember(spec: RolloutPlanSpec, progress: Accepted['progress']): void {
    const owner = { apiVersion: 'v1', kind: 'DaemonSet', name: 'agent', uid: 'uid-agent', controller: true };
    const stored = parseSnapshot(snapshotObject({ name: 'agent', namespace: 'ops', owner }, spec, progress));
    if (stored === undefined) throw new Error('the record of the plan cannot be read');
    this.memory = [...this.memory.filter((each) => each.spec.digest !== spec.digest), stored];
  }

  private apply(action: Action): void {
    this.written += 1;
    const own = { uid: `uid-${this.written}`, resourceVersion: String(this.written) };
    if (action.do === 'create') {
      const metadata = { ...action.object.metadata, ...own, creationTimestamp: timestamp(this.now) };
      const object = { ...action.object, metadata };
      if (action.kind === 'ControllerRevision') this.revisions = [...this.revisions, object];
      else this.pods = [...this.pods, object as Pod];
    } else if (action.do === 'patch') {
      const change = <Of extends KubeObject>(each: Of): Of =>
        each.metadata.name === action.name ? patched(each, action.body) : each;
      this.revisions = this.revisions.map(change);
      this.pods = this.pods.map(change);
    } else {
      this.revisions = this.revisions.filter(({ metadata }) => metadata.name !== action.name);
      this.pods = this.pods.flatMap((pod) => this.afterDeletion(pod, action.name));
    }
  }

  /** Nobody ends the pods of a node that is not Ready. */
  private afterDeletion(pod: Pod, name: string): Pod[] {
    if (pod.metadata.name !== name) return [pod];
    const node = nodeOfPod(pod);
    this.deleted.push(`${node} ${imageOf(pod)}`);
    const isDown = this.nodes.some(
      ({ metadata, status }) =>
        metadata.name === node && status?.conditions?.some((each) => each.status === 'Unknown') === true,
    );
    return isDown && pod.spec.nodeName !== undefined
      ? [{ ...pod, metadata: { ...pod.metadata, deletionTimestamp: timestamp(this.now) } }]
      : [];
  }
}

function condition(type: string, is: boolean): { type: string; status: 'True' | 'False' } {
  return { type, status: is ? 'True' : 'False' };
}

function imageOf({ spec }: Pod): string {
  return spec.containers[0]?.image.replace('agent:', '') ?? '';
}
