import { classify } from '../template/classify.ts';
import { type InPlacePatch, inPlacePatch } from '../template/inplace-images.ts';
import type { Mode } from '../template/mode.ts';
import { areRecreatedForClaims, type UpdateRules } from '../template/update-policy.ts';
import { remembered } from '../values/remembered.ts';
import type { Revision } from './revision.ts';

/** One pair of revisions under one `resizes`. `patch` null: the pod must be recreated. */
interface Comparison {
  patch?: InPlacePatch | null;
  modes: Map<UpdateRules['policy'], Mode>;
}

interface Pair {
  resized: Comparison;
  other: Comparison;
}

/** Cached by pair of revisions: comparing two templates is expensive, and many pods have the same pair. */
const pairsFrom = remembered((_from: Revision) =>
  remembered((_to: Revision): Pair => ({ resized: { modes: new Map() }, other: { modes: new Map() } })),
);

function comparisonOf(from: Revision, to: Revision, { resizes }: Pick<UpdateRules, 'resizes'>): Comparison {
  const pair = pairsFrom(from)(to);
  return resizes ? pair.resized : pair.other;
}

function recreates(from: Revision, to: Revision, rules: UpdateRules): boolean {
  return areRecreatedForClaims(from.claimTemplates, to.claimTemplates, rules);
}

/** The patch that updates a pod from one revision to another in place; undefined: it must be recreated. */
export function inPlaceChange(from: Revision, to: Revision, rules: UpdateRules): InPlacePatch | undefined {
  if (rules.policy === 'ReCreate' || recreates(from, to, rules)) return undefined;
  const found = comparisonOf(from, to, rules);
  if (found.patch === undefined) found.patch = inPlacePatch(from.template, to.template, rules) ?? null;
  return found.patch ?? undefined;
}

/** How disruptive the update of a pod from one revision to another is under these rules. */
export function modeOfChange(from: Revision, to: Revision, rules: UpdateRules): Mode {
  if (recreates(from, to, rules)) return 'Recreate';
  const { modes } = comparisonOf(from, to, rules);
  const mode = modes.get(rules.policy) ?? classify(from.template, to.template, rules).mode;
  modes.set(rules.policy, mode);
  return mode;
}
