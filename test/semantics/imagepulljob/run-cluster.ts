import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { imagePullRunKind } from '../../../semantics/imagepulljob/run-kind.ts';
import { runHash } from '../../../semantics/imagepulljob/run-template.ts';
import type { RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { pullOf } from '../../../semantics/pull/pod.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { planOf, RunCluster } from '../run/cluster.ts';
import { type End, statusOf } from './fleet.ts';

/** A plan of these steps for the pull of an image. */
export function pullPlan(run: number, steps: Step[], more: Partial<RolloutPlanSpec> = {}): RolloutPlanSpec {
  const { digest: _digest, ...content } = planOf(run, steps, more);
  const target = { ...content.target, kind: 'ImagePullJob' };
  const to = { ...content.to, hash: runHash(pullJobOf(run, {})) };
  const spec = { ...content, target, to };
  return { ...spec, digest: planDigest(spec) };
}

export function pullJobOf(run: number, spec: JsonObject): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: {
      name: 'fix',
      namespace: 'ops',
      uid: 'job',
      annotations: { 'plan.kruise.io/policy': 'Required' },
    },
    spec: { image: `web:${run}`, completionPolicy: {}, parallelism: 10, ...spec },
  };
}

/** Nodes, pods that pull, records and one ImagePullJob under plans. */
export class PullCluster extends RunCluster {
  /** How pods end on these nodes. Default: the image is pulled. */
  ends = new Map<string, End>();

  /** Nodes that exist for an hour. */
  override join(word: string): void {
    super.join(word);
    const node = this.nodes.at(-1);
    if (node !== undefined) node.metadata.creationTimestamp = timestamp(this.now - 3_600_000);
  }

  /** The node is deleted, and another one gets its name. */
  again(name: string): void {
    const metadata = { name, creationTimestamp: timestamp(this.now), uid: `${name}-again` };
    this.nodes = this.nodes.map((node) =>
      node.metadata.name === name ? { ...node, metadata: { ...node.metadata, ...metadata } } : node,
    );
  }

  /** The nodes that have a pod now. */
  get pulling(): string[] {
    return this.pods.map((pod) => pullOf(pod).node).sort();
  }

  protected override observe(): RolloutSnapshot {
    return imagePullRunKind.observe({ ...this.objects(), pulls: { pods: this.pods } });
  }

  protected override start(pod: Pod): void {
    const { node } = pullOf(pod);
    this.created.push(node);
    const metadata = { ...pod.metadata, creationTimestamp: timestamp(this.now) };
    this.pods.push({ ...pod, metadata, spec: { ...pod.spec, nodeName: node }, status: { phase: 'Pending' } });
    const busy = this.pods.filter(({ status }) => status?.containerStatuses === undefined);
    this.mostActive = Math.max(this.mostActive, busy.length);
  }

  protected override endOne(): boolean {
    const pod = this.pods.find(({ status }) => status?.containerStatuses === undefined);
    if (pod === undefined) return false;
    const { node } = pullOf(pod);
    const status = statusOf(this.ends.get(node) ?? 'pulled', timestamp(this.now));
    if (status['containerStatuses'] === undefined) return false;
    this.pods = this.pods.map((each) => (each === pod ? { ...each, status } : each));
    this.afterwards(node);
    return true;
  }

  protected override jobOf(run: number, spec: JsonObject): KubeObject {
    return pullJobOf(run, spec);
  }
}
