import { isAutoscaled, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { LimitInGit, WorkloadInGit } from '../../semantics/influence/in-git.ts';
import type { Influence } from '../../semantics/influence/influence.ts';
import type { Disruption } from '../../semantics/limits/slots.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { labelsOf } from '../../semantics/values/selector-mismatch.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { StandingManifest } from '../load/manifest.ts';
import type { Loaded } from '../load/manifests.ts';
import { inNamespaces, namesOf, type Protected } from './disruption-rules.ts';
import { hasValidShape } from './valid-shape.ts';

/** An object that acts on decisions about pods of others, with the workloads in git that it acts on. */
export interface InfluencingManifest {
  manifest: StandingManifest;
  influence: Influence;
  covered: readonly Protected[];
  /** How many pods these and the workloads in git have that are not planned; 0: git does not show it. */
  pods: number;
}

/**
 * The objects that act on decisions about others, without those that act on no workload in git, or are invalid.
 *
 * @param gitPods the workloads of every kind; undefined: not all are known
 */
export function influencesInGit(
  standing: Iterable<StandingManifest>,
  targets: Iterable<Protected>,
  gitPods: () => GitPods | undefined,
): InfluencingManifest[] {
  const near = inNamespaces(targets);
  let others: ((namespace: string | undefined) => readonly GitWorkload[]) | undefined;
  return [...standing].flatMap((manifest) => {
    const { influence } = manifest.type;
    if (influence === undefined || !hasValidShape(manifest)) return [];
    // Reading an object takes longer than asking about a workload.
    const covers = influence.git.covers(manifest.object);
    const covered = near(manifest.namespace).filter((target) => covers(workloadOf(target)));
    if (covered.length === 0) return [];
    const pods = gitPods();
    if (pods === undefined) return [{ manifest, influence, covered, pods: 0 }];
    others ??= othersIn(pods);
    const counts = [
      ...covered.map(({ normal }) => wantedReplicas(normal.units)),
      ...others(manifest.namespace)
        .filter(({ group, kind, name, templates }) =>
          templates.some(({ labels }) => covers({ id: { group, kind }, name, labels })),
        )
        .map((workload) => workload.pods),
    ];
    return [{ manifest, influence, covered, pods: sumOf(counts) }];
  });
}

/** The workloads in git of each namespace that are of no planned kind. */
function othersIn({ workloads }: GitPods): (namespace: string | undefined) => readonly GitWorkload[] {
  const byNamespace = new Map<string | undefined, GitWorkload[]>();
  for (const workload of workloads) {
    if (plannedKindOf(workload) !== undefined) continue;
    const { namespace } = workload;
    const together = byNamespace.get(namespace) ?? [];
    together.push(workload);
    byNamespace.set(namespace, together);
  }
  return (namespace) => byNamespace.get(namespace) ?? [];
}

function workloadOf({ manifest: { type, name }, normal }: Protected): WorkloadInGit {
  return { id: type.id, name, labels: labelsOf(normal.template) };
}

function sumOf(counts: readonly (number | undefined)[]): number {
  return counts.includes(undefined) ? 0 : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** What an object allows of disruptions of the pods of its workloads. */
export function limitOf(
  { influence, manifest: { object } }: InfluencingManifest,
  how: Disruption,
  pods: number,
): LimitInGit | undefined {
  return influence.git.limit(object, how, pods);
}

/**
 * Warns of objects that never let a pod of the workloads that they cover be updated or deleted. None if there are errors, because
 * other workloads may be covered, too.
 */
export function influenceRules(
  { standing, diagnostics }: Pick<Loaded, 'standing' | 'diagnostics'>,
  targets: Iterable<Protected>,
  gitPods: () => GitPods | undefined,
  locator: Locator,
): SharedDiagnostic[] {
  if (standing.size === 0 || hasErrors(diagnostics)) return [];
  return influencesInGit(standing.values(), targets, gitPods).flatMap((each) => {
    const blocked = blockedBy(each);
    if (blocked === undefined) return [];
    const { manifest, covered } = each;
    const { path, value, total } = blocked;
    const args = {
      budget: `${manifest.kind} ${manifest.name}`,
      limit: `${path.at(-1) ?? ''} ${value}`,
      targets: namesOf(covered),
      replicas: total,
      isForEvictions: false,
    };
    const found = diagnostic('KR2160', args, locator(manifest.origin, [...path], 'value'));
    return [{ ids: covered.map((target) => target.manifest.id), found }];
  });
}

/** So many times as many pods as an autoscaler begins with: a limit that lets none go there either is one for good. */
const SCALED = 1_000;

function blockedBy(each: InfluencingManifest): LimitInGit | undefined {
  const isSized = each.covered.every(({ normal }) => !isAutoscaled(normal.units));
  for (const how of ['Update', 'Delete'] as const) {
    const found = limitOf(each, how, each.pods);
    if (found === undefined || found.most > 0) continue;
    if (isSized || limitOf(each, how, each.pods * SCALED)?.most === 0) return found;
  }
  return undefined;
}
