import { inPlacePatch } from '../../semantics/template/inplace-images.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import type { Change } from './change.ts';
import { rulesOf } from './update-policy.ts';

const IMAGE = /^template\.spec\.containers\[[^\]]*\]\.image$/;

function isImageInPlace({ path, effect }: ClassifiedField): boolean {
  return effect === 'InPlace' && IMAGE.test(path);
}

/** What was found of two states of a target: rules, risks and sentences ask, and each answer compares two templates. */
const known = new WeakMap<object, { base: object; answer: boolean }>();

/**
 * Whether pods at base keep all their containers running: the change gives them other resources or metadata, and no more. What
 * earlier states need is not judged.
 */
export function restartsNothing({ action, base, head, classification }: Change): boolean {
  if (action !== 'Update' || base === undefined || head === undefined) return false;
  if (classification?.mode === 'Recreate') return false;
  // Another image is what most changes are, and restarts its container.
  if (classification?.fields.some(isImageInPlace) === true) return false;
  const found = known.get(head);
  if (found?.base === base) return found.answer;
  const patch = inPlacePatch(base.normal.template, head.normal.template, rulesOf(head.normal.units));
  const restarted = patch && [...Object.keys(patch.images), ...(patch.resize?.restarts ?? [])];
  const answer = restarted?.length === 0;
  known.set(head, { base, answer });
  return answer;
}
