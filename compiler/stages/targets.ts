import { hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { filedByTarget } from '../diagnostics/shared.ts';
import type { Budget } from '../load/budget.ts';
import { bounded } from '../load/findings.ts';
import { validatable } from '../load/intact.ts';
import type { Locator } from '../load/locate.ts';
import type { Manifest } from '../load/manifest.ts';
import { allStanding, type Loaded } from '../load/manifests.ts';
import { toTarget } from '../plan/target.ts';
import type { Target } from '../plan/target.ts';
import { validateInRoot, validateStandingInRoot } from '../reach/root-namespaces.ts';
import { selectorOverlaps } from '../validate/overlap-rules.ts';
import { locateIn, type ManifestSettings, validateManifest } from '../validate/validate.ts';

/** The targets of two states, by ID. */
export interface Targets {
  head: Map<string, Target>;
  base: Map<string, Target>;
  /** Problems of the targets at head, by ID. */
  byTarget: Map<string, Diagnostic[]>;
  /** Problems of manifests that are no targets. */
  diagnostics: Diagnostic[];
}

interface TargetsInput {
  head: Loaded;
  base: Pick<Loaded, 'manifests'>;
  config: ManifestSettings;
  /** The only namespaces that the manifests at head may reach; undefined: all. */
  namespaces: readonly string[] | undefined;
  /** Leaves out what a previous error explains. */
  filter(found: Diagnostic[]): Diagnostic[];
  locator: Locator;
  budget: Budget;
}

/** Validates the manifests at head, and makes targets of the valid ones and of their state at base. */
export function readTargets(input: TargetsInput): Targets {
  const { head, base, config, namespaces, filter, locator, budget } = input;
  const byTarget = new Map<string, Diagnostic[]>();
  const targets = new Map<string, Target>();
  for (const manifest of validatable(head, head.manifests.values())) {
    const locate = locateIn(manifest, locator);
    const found = validateInRoot(manifest, config, namespaces, locate);
    byTarget.set(manifest.id, bounded(filter(found), budget));
    // An error that is not repeated makes the manifest no more valid.
    if (!hasErrors(found)) targets.set(manifest.id, toTarget(manifest));
  }
  const overlaps = filedByTarget(selectorOverlaps(targets.values(), locator), (id) => targets.has(id));
  for (const [id, each] of overlaps.byTarget)
    byTarget.set(id, [...(byTarget.get(id) ?? []), ...bounded(each, budget)]);
  const diagnostics = validatable(head, head.checkedOnly).flatMap((manifest) =>
    bounded(filter(validateManifest(manifest, config, locateIn(manifest, locator))), budget),
  );
  for (const manifest of validatable(head, allStanding(head))) {
    const found = validateStandingInRoot(manifest, namespaces, locateIn(manifest, locator));
    diagnostics.push(...bounded(filter(found), budget));
  }
  const before = new Map<string, Target>();
  for (const manifest of base.manifests.values()) {
    // A target that is invalid at head is neither deleted nor changed.
    // One that no longer asks for plans is not deleted either.
    if (targets.has(manifest.id) || !(head.manifests.has(manifest.id) || head.standing.has(manifest.id))) {
      before.set(manifest.id, baseTarget(manifest, targets.get(manifest.id)));
    }
  }
  return { head: targets, base: before, byTarget, diagnostics };
}

/** Reuses the target at head if its manifest comes from the same text. */
function baseTarget(manifest: Manifest, head: Target | undefined): Target {
  return head !== undefined && head.manifest.object === manifest.object ? head : toTarget(manifest);
}
