import type { KubeObject } from '../../schemas/wire/object.ts';
import { beyondBounds } from '../template/bounds.ts';
import { objectOf, textOf } from '../values/read.ts';
import type { MatchCondition, PodRequest } from './admission.ts';

/** Everything that decides whether a kind is asked about a request. */
export interface RequestInfo {
  asked: PodRequest;
  user: { name: string; groups: readonly string[] };
  /** Of a removal; undefined: that of the pod. */
  gracePeriodSeconds: number | undefined;
  /** The namespace of the pod is being deleted. */
  isNamespaceEnding: boolean;
}

const NODES_GROUP = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
const NAMESPACE_CONTROLLER = 'system:serviceaccount:kube-system:namespace-controller';
const SCHEDULER = 'system:kube-scheduler';
/** The accounts that evict the pods of tainted nodes, in one version of Kubernetes or another. */
const TAINT_CONTROLLERS = ['node-controller', 'taint-eviction-controller'].map(
  (name) => `system:serviceaccount:kube-system:${name}`,
);

export type UnreviewedReason =
  | 'OwnAccount'
  | 'Terminating'
  | 'Finished'
  | 'FinalDelete'
  | 'OwnerGone'
  | 'Preempted'
  | 'Tainted'
  | 'NamespaceEnding'
  | 'BeyondBounds';

/** Requests that are allowed before any kind is asked. */
interface Row {
  reason: UnreviewedReason;
  /** @param accounts the user names of the runtime */
  holds(request: RequestInfo, accounts: readonly string[]): boolean;
  /**
   * The same in CEL, negated, so that API servers do not ask either: an outage must not keep these requests waiting. Undefined:
   * an API server does not know it.
   */
  condition(accounts: readonly string[]): MatchCondition | undefined;
}

/** The order is that of the reasons that are reported. */
export const unreviewedRequests: readonly Row[] = [
  {
    // The runtime takes its places before it acts.
    reason: 'OwnAccount',
    holds: ({ user }, accounts) => accounts.includes(user.name),
    condition: (accounts) => notBy(accounts)[0],
  },
  {
    // The pod is going already.
    reason: 'Terminating',
    holds: ({ asked }) => asked.pod.metadata.deletionTimestamp !== undefined,
    condition: () => ({
      name: 'not-terminating',
      expression: '!has(oldObject.metadata.deletionTimestamp)',
    }),
  },
  {
    // The pod serves no more.
    reason: 'Finished',
    holds: ({ asked }) => ['Succeeded', 'Failed'].includes(phaseOf(asked.pod)),
    condition: () => ({
      name: 'not-finished',
      expression:
        "!(has(oldObject.status) && has(oldObject.status.phase) && oldObject.status.phase in ['Succeeded', 'Failed'])",
    }),
  },
  {
    // The kubelet reports that the pod has ended.
    reason: 'FinalDelete',
    holds: ({ asked, user, gracePeriodSeconds }) =>
      asked.operation === 'DELETE' &&
      gracePeriodSeconds === 0 &&
      user.name.startsWith(NODE_PREFIX) &&
      user.groups.includes(NODES_GROUP),
    condition: () => ({
      name: 'not-the-final-delete',
      expression:
        `!(request.operation == 'DELETE' && request.userInfo.username.startsWith('${NODE_PREFIX}') && ` +
        `'${NODES_GROUP}' in request.userInfo.groups && has(request.options.gracePeriodSeconds) && ` +
        'request.options.gracePeriodSeconds == 0)',
    }),
  },
  // The garbage collector deletes no pod but those whose owner is gone, or goes after them.
  deletionBy('OwnerGone', 'not-the-garbage-collector', [GARBAGE_COLLECTOR]),
  // It knows no budgets of this kind, so that it would choose the same pods again: a tenant could keep pods of the system from their nodes.
  deletionBy('Preempted', 'not-the-scheduler', [SCHEDULER]),
  // It tries for a moment, and forgets a pod that stays.
  deletionBy('Tainted', 'not-a-taint-controller', TAINT_CONTROLLERS),
  {
    // Everything in the namespace is going. Its controller deletes nothing in any other.
    reason: 'NamespaceEnding',
    holds: ({ isNamespaceEnding }) => isNamespaceEnding,
    condition: () => ({
      name: 'not-the-namespace-controller',
      expression: noDeletionBy([NAMESPACE_CONTROLLER]),
    }),
  },
  {
    // The pod is larger than any rule reads, and must not stay for that.
    reason: 'BeyondBounds',
    holds: ({ asked }) => beyondBounds(asked.pod) !== undefined,
    condition: () => undefined,
  },
];

/** The condition that none of these users asks; without any there is none. */
export function notBy(accounts: readonly string[]): MatchCondition[] {
  if (accounts.length === 0) return [];
  const users = accounts.map((each) => `'${each}'`).join(', ');
  return [{ name: 'not-the-runtime', expression: `!(request.userInfo.username in [${users}])` }];
}

/** Deletions by these users. */
function deletionBy(reason: UnreviewedReason, name: string, users: readonly string[]): Row {
  return {
    reason,
    holds: ({ asked, user }) => asked.operation === 'DELETE' && users.includes(user.name),
    condition: () => ({ name, expression: noDeletionBy(users) }),
  };
}

function noDeletionBy(users: readonly string[]): string {
  const among =
    users.length === 1 ? `== '${users[0]}'` : `in [${users.map((each) => `'${each}'`).join(', ')}]`;
  return `!(request.operation == 'DELETE' && request.userInfo.username ${among})`;
}

/** Why no kind is asked about a request; undefined: they are. */
export function unreviewedFor(
  request: RequestInfo,
  accounts: readonly string[],
): UnreviewedReason | undefined {
  return unreviewedRequests.find((row) => row.holds(request, accounts))?.reason;
}

/** What API servers know of this table, as conditions of a webhook on pods. */
export function unreviewedConditions(accounts: readonly string[]): MatchCondition[] {
  return unreviewedRequests.flatMap(({ condition }) => condition(accounts) ?? []);
}

function phaseOf(pod: KubeObject): string {
  return textOf(objectOf(pod['status'])['phase']);
}
