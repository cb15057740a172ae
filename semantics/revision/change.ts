import { classify } from '../template/classify.ts';
import { type InPlacePatch, inPlacePatch } from '../template/inplace-images.ts';
import type { Mode } from '../template/mode.ts';
import type { PodUpdatePolicy } from '../template/update-policy.ts';
import type { Revision } from './revision.ts';

interface Known {
  patch: InPlacePatch | undefined;
  modes: Map<PodUpdatePolicy, Mode>;
}

/** Comparing two templates costs more than everything else about a pod, and many pods share the two revisions. */
const known = new WeakMap<Revision, WeakMap<Revision, Known>>();

function between(from: Revision, to: Revision): Known {
  const row = known.get(from) ?? new WeakMap<Revision, Known>();
  known.set(from, row);
  const found = row.get(to) ?? { patch: inPlacePatch(from.template, to.template), modes: new Map() };
  row.set(to, found);
  return found;
}

/** What takes a pod of one revision to another in place; undefined when it has to be made anew. */
export function inPlaceChange(from: Revision, to: Revision): InPlacePatch | undefined {
  return between(from, to).patch;
}

/** How disruptive taking a pod from one revision to another is under this policy. */
export function modeOfChange(from: Revision, to: Revision, policy: PodUpdatePolicy): Mode {
  const { modes } = between(from, to);
  const mode = modes.get(policy) ?? classify(from.template, to.template, policy).mode;
  modes.set(policy, mode);
  return mode;
}
