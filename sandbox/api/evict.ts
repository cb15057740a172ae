import type { DeleteOptions } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { selects } from '../kinds/selectors.ts';
import { withAllowed, type PodDisruptionBudget } from '../kinds/budget.ts';
import { conditionOf, isFinished, type Pod, type PodCondition } from '../../schemas/pods/pod.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import type { ApiContext, ObjectLocation } from './context.ts';
import { admitByPolicies } from './admission.ts';
import { locationOf, readView, requireSubresource } from './context.ts';
import { deleteObject } from './delete.ts';
import { refuse } from './errors.ts';
import { timestamp } from './metadata.ts';
import type { Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { updateObject } from './update.ts';

const budgets = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' };
const violated = "Cannot evict pod as it would violate the pod's disruption budget.";
const processingRetrySeconds = 10;
/** If more disrupted pods are pending, the disruption controller is too far behind. */
const mostDisrupted = 2000;

/** DeleteOptions of an Eviction. */
function deletionOf(body: unknown, options: RequestOptions): DeleteOptions {
  const asked = fieldAt(body, ['deleteOptions']);
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = isFields(asked) ? asked : {};
  const uid = fieldAt(preconditions, ['uid']);
  const resourceVersion = fieldAt(preconditions, ['resourceVersion']);
  const dry = options.dryRun === true || (Array.isArray(dryRun) && dryRun.includes('All'));
  const policies = ['Background', 'Foreground', 'Orphan'] as const;
  const policy = policies.find((each) => each === propagationPolicy);
  return {
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    ...(dry ? { dryRun: true } : {}),
  };
}

/** Pods that are not running or already terminating do not count against a budget. */
function isFree(pod: Pod): boolean {
  return isFinished(pod) || pod.status?.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;
}

function budgetCause(message: string, retryAfterSeconds?: number): Error {
  return refuse.tooManyRequests(violated, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Whether a budget allows eviction of an unready pod without counting it. */
function sparesUnready({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (conditionOf(pod, 'Ready')?.status === 'True') return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** The budget status after an allowed eviction; 429 if the budget does not allow it. */
function charged(budget: PodDisruptionBudget, pod: string, at: string): PodDisruptionBudget['status'] {
  const { name, generation = 0 } = budget.metadata;
  const status = budget.status;
  if (status === undefined || (status.observedGeneration ?? 0) < generation)
    throw budgetCause(
      `The disruption budget ${name} is still being processed by the server.`,
      processingRetrySeconds,
    );
  const kind = { group: budgets.group, plural: budgets.plural };
  if (status.disruptionsAllowed < 0)
    throw refuse.forbidden(kind, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > mostDisrupted)
    throw refuse.forbidden(
      kind,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  if (status.disruptionsAllowed === 0)
    throw budgetCause(
      `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`,
    );
  const left = {
    ...status,
    disruptedPods: { ...status.disruptedPods, [pod]: at },
    disruptionsAllowed: status.disruptionsAllowed - 1,
  };
  return left.disruptionsAllowed === 0 ? withAllowed(left, generation, at) : left;
}

/**
 * Consumes one allowed disruption of the budget that selects the pod, if any. 429 if none is left, 500 if several
 * budgets select the pod.
 */
function chargeBudget(context: ApiContext, user: string, pod: Pod, dryRun: boolean): void {
  const { namespace = '', name, labels } = pod.metadata;
  const served = context.registry.serving(budgets);
  const found = (context.store.list(served.type.id, namespace) as PodDisruptionBudget[]).filter((budget) =>
    selects(budget.spec?.selector, labels),
  );
  const [budget, second] = found;
  if (budget === undefined) return;
  if (second !== undefined)
    throw refuse.internal(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  if (sparesUnready(budget, pod)) return;
  const status = charged(budget, name, timestamp(context.clock.now()));
  if (dryRun) return;
  const key = { namespace, name: budget.metadata.name };
  updateObject(context, user, served, key, {
    produce: (current) => ({ ...current, status }),
    subresource: 'status',
  });
}

function markTarget(context: ApiContext, user: string, served: Served, location: ObjectLocation): void {
  const at = timestamp(context.clock.now());
  updateObject(context, user, served, location, {
    produce(current) {
      const { status } = current as Pod;
      const condition: PodCondition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: at,
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      };
      const others = status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
      return { ...current, status: { ...status, conditions: [...others, condition] } };
    },
    subresource: 'status',
  });
}

/**
 * POST of an Eviction (policy/v1): sets the DisruptionTarget condition and deletes the pod, unless its disruption
 * budget forbids it (429). 400 if the Eviction names another pod, 404 if the pod does not exist, 409 if a
 * precondition fails. Returns the pod as it was before.
 */
export function evictPod(
  context: ApiContext,
  user: string,
  served: Served,
  body: unknown,
  options: RequestOptions,
): KubeObject {
  requireSubresource(served, 'eviction');
  const named = fieldAt(body, ['metadata', 'name']);
  const bodyNamespace = fieldAt(body, ['metadata', 'namespace']);
  const key = options.at ?? {
    name: typeof named === 'string' ? named : '',
    ...(typeof bodyNamespace === 'string' ? { namespace: bodyNamespace } : {}),
  };
  if (named !== key.name) throw refuse.badRequest('name in URL does not match name in Eviction object');
  const location = locationOf(served, key);
  const pod = readView(context, served, location) as Pod;
  const deletion = deletionOf(body, options);
  const { uid, resourceVersion, dryRun } = deletion;
  const { requester, webhooks } = options;
  admitByPolicies(context, { user, requester, webhooks }, () => ({
    operation: 'CREATE',
    served,
    subresource: 'eviction',
    ...location,
    object: body as KubeObject,
    dryRun: dryRun === true,
    warn: options.warn,
  }));
  // A dry run of the deletion reports errors before the budget is charged.
  if (uid !== undefined || resourceVersion !== undefined)
    deleteObject(context, user, served, location, { ...deletion, dryRun: true, isAdmitted: true });
  if (!isFree(pod)) chargeBudget(context, user, pod, dryRun === true);
  if (dryRun !== true && pod.metadata.deletionTimestamp === undefined)
    markTarget(context, user, served, location);
  // The condition changed the resourceVersion; the client's precondition was checked above.
  const { resourceVersion: _checked, ...rest } = deletion;
  deleteObject(context, user, served, location, { ...rest, isAdmitted: true });
  return pod;
}
