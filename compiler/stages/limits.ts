import type { GitPods } from '../load/git-pods.ts';
import type { StandingManifest } from '../load/manifest.ts';
import type { Change } from '../plan/change.ts';
import type { Protected } from '../validate/disruption-rules.ts';
import { influencesInGit, limitOf } from '../validate/influence-rules.ts';

/** Writes into each change what limits how many pods of its target may be unavailable, as far as git shows it. */
export function addLimits(
  changes: readonly Change[],
  standing: Iterable<StandingManifest>,
  targets: Iterable<Protected>,
  gitPods: () => GitPods | undefined,
): void {
  const byId = new Map(changes.map((change) => [change.id, change]));
  for (const each of influencesInGit(standing, targets, gitPods)) {
    const { manifest, covered, pods } = each;
    const limit = {
      name: `${manifest.kind} ${manifest.name}`,
      of: (how: Parameters<typeof limitOf>[1]) => limitOf(each, how, pods),
    };
    for (const target of covered) {
      const change = byId.get(target.manifest.id);
      if (change !== undefined) change.limits = [...change.limits, limit];
    }
  }
}
