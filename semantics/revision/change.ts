import { classify } from '../template/classify.ts';
import { type InPlacePatch, inPlacePatch } from '../template/inplace-images.ts';
import type { Mode } from '../template/mode.ts';
import type { PodUpdatePolicy } from '../template/update-policy.ts';
import type { Revision } from './revision.ts';

interface Comparison {
  patch: InPlacePatch | undefined;
  modes: Map<PodUpdatePolicy, Mode>;
}

/** Cached by pair of revisions: comparing two templates is expensive, and many pods have the same pair. */
const known = new WeakMap<Revision, WeakMap<Revision, Comparison>>();

function comparisonOf(from: Revision, to: Revision): Comparison {
  const row = known.get(from) ?? new WeakMap<Revision, Comparison>();
  known.set(from, row);
  const found = row.get(to) ?? { patch: inPlacePatch(from.template, to.template), modes: new Map() };
  row.set(to, found);
  return found;
}

/** The patch that updates a pod from one revision to another in place; undefined: it must be recreated. */
export function inPlaceChange(from: Revision, to: Revision): InPlacePatch | undefined {
  return comparisonOf(from, to).patch;
}

/** How disruptive the update of a pod from one revision to another is under this policy. */
export function modeOfChange(from: Revision, to: Revision, policy: PodUpdatePolicy): Mode {
  const { modes } = comparisonOf(from, to);
  const mode = modes.get(policy) ?? classify(from.template, to.template, policy).mode;
  modes.set(policy, mode);
  return mode;
}
