import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { findTarget, noPlanFor } from '../command/find-target.ts';
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
import { listed } from '../../semantics/values/listed.ts';
import { targetId } from '../../compiler/plan/read-plans.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { byText } from '../../compiler/text/order.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { headState } from '../files/states.ts';
import { reportDiagnostics } from '../command/report.ts';

/** Why the committed plans do not tell the target. `elsewhere`: the cluster may know it. */
export type NotCommitted = Refusal & { elsewhere: boolean; report?: () => void };

/** What a command is about, and what is said of it, once the cluster was asked. */
export interface ResolvedTarget {
  target: FoundTarget & { namespace: string };
  said: CommandInput;
  /** Whether the plan is the one that is committed here. */
  isCommitted: boolean;
}

/**
 * The target that is meant, from the committed plans. What says everything by itself needs none of them: on a bad night
 * the line that a held target shows must work outside of the repository, too.
 */
export function committedTarget(
  host: Host,
  verb: Verb,
  asked: RequestedTarget,
  said: CommandInput,
  out: string,
): FoundTarget | NotCommitted {
  const { kind, name, namespace } = asked;
  const state = headState(host, [], out);
  if (typeof state === 'string')
    return { problem: state, help: 'set --out to the folder of plans', elsewhere: false };
  const read = loadPlans(host, state);
  const plans = [...read.plans.values()].map(({ plan }) => plan);
  const found = findTarget(asked, plans);
  if (found === undefined) {
    const complete = said.digest !== undefined || verb === 'break-glass';
    if (complete && kind !== undefined) return { kind, name, namespace, plan: undefined };
    if (host.inspect(state.plans) === undefined) {
      const help = 'run this in the folder that contains plans, or set --out';
      return { problem: `there is no folder ${out} in ${state.root}`, help, elsewhere: true };
    }
    // A plan that cannot be read may be the one that is looked for.
    const report = (): void => {
      if (hasErrors(read.diagnostics)) reportDiagnostics(host, read.diagnostics);
    };
    return { ...noPlanFor(asked, plans, shownPath(host, state.plans)), elsewhere: true, report };
  }
  if ('problem' in found) return { ...found, elsewhere: false };
  const isTwice = found.plan !== undefined && read.twice.has(targetId(found.plan));
  if (!isTwice || said.digest !== undefined) return found;
  const problem = `two plans are for ${found.kind}/${found.name}`;
  const report = (): void => reportDiagnostics(host, read.diagnostics);
  return { problem, help: 'delete one of the two', elsewhere: false, report };
}

/**
 * The target that is meant, in a cluster: what is committed here goes first, for that is what was reviewed. Elsewhere it
 * is the plan that the cluster has, and of several approvals the one that it stands at.
 *
 * @throws what the cluster answered to reading, where that is needed
 */
export async function targetInCluster(
  reached: ClusterAccess,
  asked: RequestedTarget,
  said: CommandInput,
  verb: Verb,
  committed: FoundTarget | NotCommitted,
): Promise<ResolvedTarget | Refusal> {
  if ('problem' in committed) return committed.elsewhere ? search(reached, asked, said, verb) : committed;
  const namespace = isNamespaced(committed.kind) ? (committed.namespace ?? reached.namespace) : '';
  const target = { ...committed, namespace };
  const { digest } = said;
  if (digest === undefined || committed.plan?.spec.digest === digest)
    return { target, said, isCommitted: true };
  const plan = await orUnknown(plansIn(reached, namespace), []).then((plans) =>
    plans.find((each) => isFor(each, committed) && each.spec.digest === digest),
  );
  if (plan !== undefined) return { target: { ...target, plan }, said, isCommitted: false };
  return { target, said, isCommitted: true };
}

/** The plan object of a target and a digest as the cluster has it; undefined where none is there, or may be read. */
export async function planInCluster(
  reached: ClusterAccess,
  target: ResolvedTarget['target'],
  digest: string | undefined,
): Promise<RolloutPlan | undefined> {
  const plans = await orUnknown(plansIn(reached, target.namespace), []);
  return plans.find((plan) => isFor(plan, target) && plan.spec.digest === digest);
}

/** What the plan of a command waits for, by its status in the cluster; undefined where that tells nothing, or may not be read. */
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
  asked: RequestedTarget,
  said: CommandInput,
  verb: Verb,
): Promise<ResolvedTarget | Refusal> {
  const { name } = asked;
  const own = asked.namespace ?? reached.namespace;
  const kinds = asked.kind === undefined ? [...PLANNED.keys()] : [asked.kind];
  const scopes = [...new Set(kinds.map((each) => (isNamespaced(each) ? own : '')))];
  const there = (await Promise.all(scopes.map((scope) => plansIn(reached, scope)))).flat();
  const plansOf = (each: string): RolloutPlan[] => there.filter((plan) => isFor(plan, { kind: each, name }));
  const planned = kinds.filter((each) => plansOf(each).length > 0);
  const [kind = ''] = planned.length > 0 ? planned : kinds;
  if (planned.length > 1) {
    const problem = `there are plans for several targets named ${name}: the kinds are ${listed(planned, 'and')}`;
    return { problem, help: `name one, such as ${kind}/${name}` };
  }
  const namespace = isNamespaced(kind) ? own : '';
  const plans = plansOf(kind);
  const found = { kind, name, namespace, plan: undefined };
  if (plans.length === 0) {
    if (!(await exists(reached, kind, namespace, name))) return notThere(reached, { ...asked, kind }, there);
    if (verb === 'break-glass') return { target: found, said, isCommitted: false };
    return {
      problem: `no plan is for ${kind}/${name} ${namespaceText(namespace)}`,
      help: `kruise status ${kind}/${name}${namespaceOption(namespace)} shows what it waits for`,
    };
  }
  const digests = said.digest === undefined ? digestsOf(plans, verb) : [said.digest];
  const [digest] = digests;
  if (digests.length > 1 || digest === undefined) {
    if (verb === 'break-glass') return { target: found, said, isCommitted: false };
    const list = [...digests].sort(byText).join(', ');
    return {
      problem: `there are several plans for ${kind}/${name} ${namespaceText(namespace)}: ${list}`,
      help: 'choose one with --digest',
    };
  }
  const plan = plans.find(({ spec }) => spec.digest === digest);
  const isPinned = verb !== 'break-glass' || said.digest !== undefined;
  const step = said.step ?? (verb === 'approve' && plan !== undefined ? stepItStandsAt(plan) : undefined);
  return {
    target: { ...found, plan },
    said: { ...said, step, digest: isPinned ? digest : undefined },
    isCommitted: false,
  };
}

/** The digests that a word without one may mean: of the plan in force and, if it is another, of one that waits. */
function digestsOf(plans: readonly RolloutPlan[], verb: Verb): string[] {
  const digests = plans.flatMap(({ spec, status }) => {
    const waits = status?.phase === undefined || status.phase === 'Pending' || status.phase === 'Stale';
    if (!waits) return [status.digest ?? spec.digest];
    // What is in force has ended, where another waits: that cannot be approved or held.
    if (verb === 'approve' || verb === 'pause') return [spec.digest];
    return [spec.digest, status?.digest ?? spec.digest];
  });
  return [...new Set(digests)];
}

function stepItStandsAt({ spec, status }: RolloutPlan): string | undefined {
  if (status?.phase !== 'AwaitingApproval' || status.digest !== spec.digest) return undefined;
  return spec.steps.find(({ id, approve }) => id === status.step && approve !== undefined)?.id;
}

async function notThere(
  reached: ClusterAccess,
  { kind, name, namespace }: RequestedTarget & { kind: string },
  there: readonly RolloutPlan[],
): Promise<Refusal> {
  const place = namespace ?? reached.namespace;
  if (!isNamespaced(kind))
    return { problem: `there is no ${kind}/${name}`, help: 'kruise status -A lists all targets' };
  const problem = `there is no ${kind}/${name} in namespace ${place}`;
  const all = await orUnknown(plansIn(reached, undefined), []);
  const elsewhere = all
    .filter((plan) => isFor(plan, { kind, name }))
    .map(({ metadata }) => metadata.namespace ?? '')
    .sort(byText);
  const [first] = elsewhere;
  if (first !== undefined) {
    const which = elsewhere.length === 1 ? first : `one of ${elsewhere.join(', ')}`;
    return { problem, help: `there is one in ${which}: choose it with -n` };
  }
  const near = suggest(
    name,
    there.map(({ spec: { target } }) => target.name),
  );
  if (near !== undefined) return { problem, help: `did you mean ${kind}/${near}?` };
  return { problem, help: 'kruise status -A lists all targets' };
}

/** Of a namespace, of all (undefined), or those that are in none (empty). */
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

/** What only makes an answer better is left out where it may not be seen. */
async function orUnknown<Answer>(asked: Promise<Answer>, unknown: Answer): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError) return unknown;
    throw error;
  }
}
