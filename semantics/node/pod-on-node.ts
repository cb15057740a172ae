import type { Intern } from '../pod/intern.ts';
import { changingUntil, plannedChangeAt, restartsBesidesPlanned } from '../lifecycle/planned-changes.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';

/** What the rules read of a pod of any owner on a node. */
export interface PodOnNode {
  node: string;
  namespace: string;
  name: string;
  uid: string;
  /** It is Ready, or has succeeded. */
  available: boolean;
  /** Restarts of its containers since the last planned change, without those that this has caused. */
  restarts: number;
  /** When a planned write last changed it, milliseconds since 1970; 0: none did. */
  changedAt: number;
  /** Until when a planned write may be why it is not available, milliseconds since 1970; 0: none is. */
  changingUntil: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** The projection of a pod. Undefined: it is on no node, or is being deleted, and is no loss then. */
export function podOnNode(pod: Pod, intern: Pick<Intern, 'text'>): PodOnNode | undefined {
  const { metadata, spec, status } = pod;
  const { nodeName } = spec;
  if (!nodeName || metadata.deletionTimestamp !== undefined) return undefined;
  const { phase, conditions = [] } = status ?? {};
  const isReady = conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  return {
    node: intern.text(nodeName),
    namespace: intern.text(metadata.namespace ?? ''),
    name: metadata.name,
    uid: metadata.uid ?? '',
    available: isReady || phase === 'Succeeded',
    restarts: restartsBesidesPlanned(pod),
    changedAt: plannedChangeAt(pod),
    changingUntil: changingUntil(pod),
    createdAt: timeOf(metadata.creationTimestamp),
  };
}
