import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Node } from '../../../semantics/node/node.ts';
import { decideNodeImage } from '../../../semantics/nodeimage/decide.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { pullOf } from '../../../semantics/pull/pod.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { nodeImage, shownImages } from '../../fixtures/node-images.ts';
import { type End, oldNode, statusOf } from '../imagepulljob/fleet.ts';
import { NOW } from '../pull/fleet.ts';

/** What is created: `kruise-daemon-config web:1#1`. */
function shownPod({ metadata, spec }: Pod): string {
  const secrets = (spec['imagePullSecrets'] ?? []) as { name: string }[];
  const by = secrets.length === 0 ? '' : ` by ${secrets.map(({ name }) => name).join(', ')}`;
  const { image = '' } = spec.containers[0] ?? {};
  return `${metadata.namespace ?? 'nowhere'} ${image}#${pullOf({ apiVersion: 'v1', kind: 'Pod', metadata }).attempt}${by}`;
}

/** The NodeImage of node `a` with its pods. Each round carries out what is decided; a test says how pods end. */
export function site(
  images: JsonObject,
  { nodes = [oldNode('a')], status = {} }: { nodes?: Node[]; status?: JsonObject } = {},
) {
  const first = nodeImage('a', images);
  let target: KubeObject = { ...first, metadata: { ...first.metadata, uid: 'of-a' }, status };
  let pods: Pod[] = [];
  let now = NOW;
  const made: string[] = [];
  return {
    nodes,
    made,
    namespaces: ['kruise-daemon-config', 'shop', 'bank'],
    busy: new Set<string>(),
    refused: '',
    get target() {
      return target;
    },
    get pods() {
      return pods;
    },
    get shown() {
      return shownImages(target);
    },
    edit(next: JsonObject) {
      target = { ...target, spec: { images: next } };
    },
    add(pod: Pod) {
      pods = [...pods, pod];
    },
    pass(ms: number) {
      now += ms;
    },
    /** The pods that are not over end so, in all namespaces or in one. */
    end(end: End, namespace?: string) {
      pods = pods.map((pod) =>
        (namespace ?? pod.metadata.namespace) === pod.metadata.namespace && pod.status?.phase !== 'Failed'
          ? {
              ...pod,
              spec: end === 'unplaced' ? pod.spec : { ...pod.spec, nodeName: pullOf(pod).node },
              status: statusOf(end, pod.metadata.creationTimestamp ?? ''),
            }
          : pod,
      );
    },
    /** Decides, and does it. Returns the decision. */
    decide() {
      const decision = decideNodeImage(
        {
          target,
          placement: this.nodes,
          namespaces: this.namespaces.map((name) => ({
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name },
          })),
          pulls: { pods, busy: this.busy, isRefused: this.refused !== '' },
          now,
        },
        undefined,
      );
      target = { ...target, status: { ...decision.status } };
      for (const action of decision.actions) {
        if (action.do === 'create') {
          if (action.object.metadata.namespace === this.refused) continue;
          const { metadata } = action.object;
          const pod = {
            ...(action.object as Pod),
            metadata: {
              ...{ ...metadata, uid: metadata.name, resourceVersion: '1' },
              creationTimestamp: timestamp(now),
            },
          };
          made.push(shownPod(pod));
          pods = [...pods, pod];
        } else if (action.do === 'delete')
          pods = pods.filter(
            ({ metadata }) => metadata.name !== action.name || metadata.namespace !== action.namespace,
          );
      }
      return decision;
    },
    /** Decides until nothing is left to do, and all pods end so. */
    run(end: End, rounds = 20) {
      for (let round = 0; round < rounds; round++) {
        this.decide();
        this.end(end);
        this.pass(10_000);
      }
      return this.shown;
    },
  };
}
