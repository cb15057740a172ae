import type { JsonObject } from '../../../schemas/wire/json.ts';
import { daemonSetKind } from '../../../semantics/daemonset/kind.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { clusterWide, launchIn } from '../../deploy/roles.ts';
import { boundsBy } from '../pod-bounds.ts';
import { podRevision, podsOf, podUnit } from '../serving.ts';
import type { Subject } from '../subject.ts';
import { nodeLimits } from './bounds.ts';
import { changes } from './manifests.ts';
import { nodeWorlds } from './nodes.ts';
import { worlds } from './worlds.ts';

/** How many nodes its worlds begin with: `node-1` and so on. */
const NODES = 4;

export const daemonSet: Subject = {
  kind: daemonSetKind,
  world: { nodes: NODES },
  roles: [...clusterWide(), launchIn('shop')],
  hashOf: (manifest) => templateHash((manifest['spec'] as { template: JsonObject }).template),
  sizeOf: (_target, nodes = NODES) => nodes,
  units: (objects, target) => podsOf(objects, target).map((pod) => podUnit(pod, podRevision(pod))),
  brokenBounds: (commit, objects, leniency) => boundsBy(nodeLimits, commit, objects, leniency),
  // The name of a pod follows from its node.
  reusesNames: true,
  electedOnly: true,
  isReplaced: (pod, pods) => pods.some((each) => each !== pod && nodeOfPod(each) === nodeOfPod(pod)),
  // An extra pod that the server does not delete is not counted, nor is one on a node that was lost.
  exceeds: (world) => nodeWorlds.includes(world) || world.title.includes('beside the old pod'),
  paused: (paused) => ({ updateStrategy: { rollingUpdate: { paused } } }),
  changes,
  worlds: [...worlds, ...nodeWorlds],
};
