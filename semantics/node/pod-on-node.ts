import type { Intern } from '../pod/intern.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';

/** What the rules read of a pod of any owner on a node. */
export interface PodOnNode {
  node: string;
  /** `namespace/name`, for messages. */
  name: string;
  uid: string;
  /** It is Ready, or has succeeded. */
  available: boolean;
  /** Restarts of its containers. */
  restarts: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** The projection of a pod. Undefined: it is on no node, or is being deleted, and is no loss then. */
export function podOnNode(
  { metadata, spec, status }: Pod,
  intern: Pick<Intern, 'text'>,
): PodOnNode | undefined {
  const { nodeName } = spec;
  if (!nodeName || metadata.deletionTimestamp !== undefined) return undefined;
  const { phase, conditions = [], containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const isReady = conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  const statuses = [...initContainerStatuses, ...containerStatuses];
  return {
    node: intern.text(nodeName),
    name: `${metadata.namespace ?? ''}/${metadata.name}`,
    uid: metadata.uid ?? '',
    available: isReady || phase === 'Succeeded',
    restarts: statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    createdAt: timeOf(metadata.creationTimestamp),
  };
}
