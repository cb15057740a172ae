import type { GitPods } from '../load/git-pods.ts';
import type { Loaded } from '../load/manifests.ts';
import type { Change } from '../plan/change.ts';
import { coverage, inNamespace, type Protected } from '../validate/disruption-rules.ts';
import { influencesInGit, limitOf } from '../validate/influence-rules.ts';

/** Writes into each change what limits how many pods of its target may be unavailable, as far as git shows it. */
export function addLimits(
  changes: readonly Change[],
  { standing, disruptionBudgets }: Pick<Loaded, 'standing' | 'disruptionBudgets'>,
  targets: Iterable<Protected>,
  gitPods: () => GitPods | undefined,
): void {
  const byId = new Map(changes.map((change) => [change.id, change]));
  for (const each of influencesInGit(standing.values(), targets, gitPods)) {
    const { manifest, covered, pods } = each;
    const name = `${manifest.kind} ${manifest.name}`;
    const of = (how: Parameters<typeof limitOf>[1]) => limitOf(each, how, pods);
    const guards = each.influence.git.limitsEvictions(manifest.object)
      ? disruptionBudgets.filter((guard) => inNamespace(guard, manifest.namespace))
      : [];
    for (const target of covered) {
      const change = byId.get(target.manifest.id);
      if (change === undefined) continue;
      const evictionsBy = guards.flatMap((guard) =>
        coverage(guard)(target) ? [`PodDisruptionBudget ${guard.name}`] : [],
      );
      change.limits = [...change.limits, { name, of, evictionsBy }];
    }
  }
}
