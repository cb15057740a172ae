import { createBudget } from '../../compiler/load/budget.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { findTarget, kindOfName, noPlanFor } from '../command/find-target.ts';
import { isNamespaced, namespaceOption, namespaceText } from '../command/kind-names.ts';
import type { RequestedTarget, FoundTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';
import type { CommandInput } from './rollout-command.ts';
import type { Verb } from './actions.ts';
import { hasErrors } from '../../compiler/diagnostics/diagnostic.ts';
import type { Host } from '../host.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { loadPlans } from '../../compiler/load/plan-files.ts';
import { PLANNED, plannedKind, writtenKind } from '../../compiler/plan/kinds.ts';
import { targetId } from '../../compiler/plan/read-plans.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { byText } from '../../compiler/text/order.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { headState } from '../files/states.ts';
import { reportDiagnostics } from '../command/report.ts';

/** Why the committed plans do not determine the target. `elsewhere`: the cluster may have its plan. */
export type NotCommitted = Refusal & { elsewhere: boolean; report?: () => void };

/** The target and input of a command, completed with data of the cluster. */
export interface ResolvedTarget {
  target: FoundTarget & { namespace: string };
  input: CommandInput;
  /** Whether its plan is the one committed here. */
  isCommitted: boolean;
}

/**
 * Finds the target in the committed plans. A command with kind and digest needs no committed plan, so that the command
 * which the status of a held target shows also works outside of the repository.
 */
export function committedTarget(
  host: Host,
  verb: Verb,
  requested: RequestedTarget,
  input: CommandInput,
  out: string,
): FoundTarget | NotCommitted {
  const { kind, name, namespace } = requested;
  const budget = createBudget();
  const state = headState(host, [], out, budget);
  if ('problem' in state) return { ...state, elsewhere: false };
  const read = loadPlans(host, state, budget);
  const plans = [...read.plans.values()].map(({ plan }) => plan);
  const found = findTarget(requested, plans);
  if (found === undefined) {
    const complete = input.digest !== undefined || verb === 'break-glass';
    if (complete && kind !== undefined) return { kind, name, namespace, plan: undefined };
    if (host.inspect(state.plans) === undefined) {
      const help = 'run this in the folder that contains plans, or set --out';
      return { problem: `there is no folder ${out} in ${state.root}`, help, elsewhere: true };
    }
    // A plan that cannot be read may be the requested one.
    const report = (): void => {
      if (hasErrors(read.diagnostics)) reportDiagnostics(host, read.diagnostics);
    };
    return { ...noPlanFor(requested, plans, shownPath(host, state.plans)), elsewhere: true, report };
  }
  if ('problem' in found) return { ...found, elsewhere: false };
  const isTwice = found.plan !== undefined && read.twice.has(targetId(found.plan));
  if (!isTwice || input.digest !== undefined) return found;
  const problem = `two plans are for ${found.kind}/${found.name}`;
  const report = (): void => reportDiagnostics(host, read.diagnostics);
  return {
    problem,
    help: 'delete one of the two; of several roots, name one: --out plans/ROOT',
    elsewhere: false,
    report,
  };
}

/**
 * Finds the target in a cluster. A committed plan takes precedence, because it was reviewed; else uses the plan in the
 * cluster and, of several approvals, the current step.
 *
 * @throws the error of a required read
 */
export async function targetInCluster(
  reached: ClusterAccess,
  requested: RequestedTarget,
  input: CommandInput,
  verb: Verb,
  committed: FoundTarget | NotCommitted,
): Promise<ResolvedTarget | Refusal> {
  if ('problem' in committed)
    return committed.elsewhere ? search(reached, requested, input, verb) : committed;
  const namespace = isNamespaced(committed.kind) ? (committed.namespace ?? reached.namespace) : '';
  const target = { ...committed, namespace };
  const { digest } = input;
  if (digest === undefined || committed.plan?.spec.digest === digest)
    return { target, input, isCommitted: true };
  const plan = await orUnknown(plansIn(reached, namespace), []).then((plans) =>
    plans.find((each) => isFor(each, committed) && each.spec.digest === digest),
  );
  if (plan !== undefined) return { target: { ...target, plan }, input, isCommitted: false };
  return { target, input, isCommitted: true };
}

/** The plan object of a target with a digest in the cluster; undefined if there is none or it may not be read. */
export async function planInCluster(
  reached: ClusterAccess,
  target: ResolvedTarget['target'],
  digest: string | undefined,
): Promise<RolloutPlan | undefined> {
  const plans = await orUnknown(plansIn(reached, target.namespace), []);
  return plans.find((plan) => isFor(plan, target) && plan.spec.digest === digest);
}

/** What the plan of a command waits for, by its status in the cluster; undefined if that is unknown. */
export async function planWaitText(
  reached: ClusterAccess,
  target: ResolvedTarget['target'],
  digest: string | undefined,
): Promise<string | undefined> {
  if (digest === undefined) return undefined;
  const plan = await planInCluster(reached, target, digest);
  if (plan === undefined)
    return `no plan of ${target.kind}/${target.name} in the cluster has digest ${digest}`;
  const { waitingOn, message } = plan.status ?? {};
  if (waitingOn === undefined || message === undefined) return undefined;
  return `plan ${plan.metadata.name} waits (${waitingOn}): ${message}`;
}

async function search(
  reached: ClusterAccess,
  requested: RequestedTarget,
  input: CommandInput,
  verb: Verb,
): Promise<ResolvedTarget | Refusal> {
  const { name } = requested;
  const own = requested.namespace ?? reached.namespace;
  const kinds = requested.kind === undefined ? [...PLANNED.keys()] : [requested.kind];
  const scopes = [...new Set(kinds.map((each) => (isNamespaced(each) ? own : '')))];
  const existing = (await Promise.all(scopes.map((scope) => plansIn(reached, scope)))).flat();
  const plansOf = (each: string): RolloutPlan[] =>
    existing.filter((plan) => isFor(plan, { kind: each, name }));
  const named =
    requested.kind === undefined
      ? kindOfName(name, await kindsHaving(reached, own, name, (each) => plansOf(each).length > 0))
      : { kind: requested.kind };
  if ('problem' in named) return named;
  const { kind } = named;
  if (kind === undefined) return missingTarget(reached, requested, existing);
  const namespace = isNamespaced(kind) ? own : '';
  const plans = plansOf(kind);
  const found = { kind, name, namespace, plan: undefined };
  if (plans.length === 0) {
    if (!(await exists(reached, kind, namespace, name)))
      return missingTarget(reached, { ...requested, kind }, existing);
    if (verb === 'break-glass') return { target: found, input, isCommitted: false };
    return {
      problem: `no plan is for ${kind}/${name} ${namespaceText(namespace)}`,
      help: `kruise status ${kind}/${name}${namespaceOption(namespace)} shows what it waits for`,
    };
  }
  const digests = input.digest === undefined ? digestsOf(plans, verb) : [input.digest];
  const [digest] = digests;
  if (digests.length > 1 || digest === undefined) {
    if (verb === 'break-glass') return { target: found, input, isCommitted: false };
    const list = [...digests].sort(byText).join(', ');
    return {
      problem: `there are several plans for ${kind}/${name} ${namespaceText(namespace)}: ${list}`,
      help: 'choose one with --digest',
    };
  }
  const plan = plans.find(({ spec }) => spec.digest === digest);
  const isPinned = verb !== 'break-glass' || input.digest !== undefined;
  const step = input.step ?? (verb === 'approve' && plan !== undefined ? pendingApproval(plan) : undefined);
  return {
    target: { ...found, plan },
    input: { ...input, step, digest: isPinned ? digest : undefined },
    isCommitted: false,
  };
}

/** The digests that a command without one may mean: that of the active plan and, if different, that of a waiting plan. */
function digestsOf(plans: readonly RolloutPlan[], verb: Verb): string[] {
  const digests = plans.flatMap(({ spec, status }) => {
    const waits = status?.phase === undefined || status.phase === 'Pending' || status.phase === 'Stale';
    if (!waits) return [status.digest ?? spec.digest];
    // If another plan waits, the active one has ended and can be neither approved nor paused.
    if (verb === 'approve' || verb === 'pause') return [spec.digest];
    return [spec.digest, status?.digest ?? spec.digest];
  });
  return [...new Set(digests)];
}

/** The approval that an active plan waits for; undefined: it waits for none. */
export function pendingApproval({ spec, status }: RolloutPlan): string | undefined {
  if (status?.phase !== 'AwaitingApproval' || status.digest !== spec.digest) return undefined;
  return spec.steps.find(({ id, approve }) => id === status.step && approve !== undefined)?.id;
}

/** The kinds that have a target or a plan of this name. A kind that may not be read has none. */
async function kindsHaving(
  reached: ClusterAccess,
  namespace: string,
  name: string,
  hasPlan: (kind: string) => boolean,
): Promise<string[]> {
  const found = await Promise.all(
    [...PLANNED.keys()].map(async (kind) => {
      const at = isNamespaced(kind) ? namespace : '';
      return hasPlan(kind) || (await orUnknown(exists(reached, kind, at, name), false)) ? [kind] : [];
    }),
  );
  return found.flat();
}

async function missingTarget(
  reached: ClusterAccess,
  { kind, name, namespace }: RequestedTarget,
  existing: readonly RolloutPlan[],
): Promise<Refusal> {
  const where = namespace ?? reached.namespace;
  const shown = (text: string): string => (kind === undefined ? text : `${kind}/${text}`);
  if (kind !== undefined && !isNamespaced(kind))
    return { problem: `there is no ${shown(name)}`, help: 'kruise status -A lists all targets' };
  const problem = `there is no ${shown(name)} in namespace ${where}`;
  const all = await orUnknown(plansIn(reached, undefined), []);
  const elsewhere = all
    .filter((plan) =>
      (kind === undefined ? [...PLANNED.keys()] : [kind]).some((each) => isFor(plan, { kind: each, name })),
    )
    .map(({ metadata }) => metadata.namespace ?? '')
    .sort(byText);
  const [first] = elsewhere;
  if (first !== undefined) {
    const which = elsewhere.length === 1 ? first : `one of ${elsewhere.join(', ')}`;
    return { problem, help: `there is one in ${which}: choose it with -n` };
  }
  const near = suggest(
    name,
    existing.map(({ spec: { target } }) => target.name),
  );
  const other = existing.find(({ spec: { target } }) => target.name === near);
  if (other !== undefined) {
    const { target } = other.spec;
    return { problem, help: `did you mean ${kind ?? writtenKind(groupKindOf(target))}/${target.name}?` };
  }
  return { problem, help: 'kruise status -A lists all targets' };
}

/** Plans of one namespace, of all (undefined), or cluster-scoped ones (empty). */
async function plansIn({ cluster }: ClusterAccess, namespace: string | undefined): Promise<RolloutPlan[]> {
  const resource = namespace === '' ? resources.ClusterRolloutPlan : resources.RolloutPlan;
  const { items } = await cluster.list(
    resource,
    namespace === undefined || namespace === '' ? {} : { namespace },
  );
  return items as unknown as RolloutPlan[];
}

function isFor({ spec: { target } }: RolloutPlan, { kind, name }: { kind: string; name: string }): boolean {
  return writtenKind(groupKindOf(target)) === kind && target.name === name;
}

async function exists(
  { cluster }: ClusterAccess,
  kind: string,
  namespace: string,
  name: string,
): Promise<boolean> {
  const resource = plannedKind(kind)?.resource;
  if (resource === undefined) return false;
  try {
    await cluster.get(resource, { name, ...(namespace !== '' && { namespace }) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404 && error.status.details?.name !== undefined)
      return false;
    throw error;
  }
}

/** Returns a default if an optional read is refused. */
async function orUnknown<Answer>(requested: Promise<Answer>, unknown: Answer): Promise<Answer> {
  try {
    return await requested;
  } catch (error) {
    if (error instanceof ApiError) return unknown;
    throw error;
  }
}
